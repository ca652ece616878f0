"""The routes of the platform contract that show deliveries and send them again."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Literal

from knowledge_base.dialects.contract import Reply, Request, Route, check_query
from knowledge_base.dialects.platform.parameters import limit, moment
from knowledge_base.dialects.platform.schemas import Moment, Strict
from knowledge_base.domain.deliveries import Delivery, DeliveryState, Try
from knowledge_base.services.registry import Services

State = Literal["pending", "delivered", "dead"]


class TryView(Strict):
    """One POST; `error` is null where the receiver took it."""

    at: datetime
    error: str | None
    milliseconds: int


class DeliveryView(Strict):
    """A webhook or a callback, from its making to its end; `id` is its `webhook-id`, `about` what it tells."""

    id: str
    kind: str
    url: str
    state: State
    attempts: int
    created_at: datetime
    next_try_at: datetime | None
    tries: list[TryView]
    about: dict[str, Any]


class DeliveryList(Strict):
    """`GET /admin/deliveries`, newest first."""

    deliveries: list[DeliveryView]
    next_cursor: str | None


class ReplayRange(Strict):
    """`POST /admin/deliveries/replay`: those made from `since` on and before `until`, in one state or in any."""

    since: Moment
    until: Moment
    state: State | None = None
    cursor: str | None = None


class Replayed(Strict):
    """How many are sent again; with a cursor, ask once more with it for the rest."""

    replayed: int
    next_cursor: str | None


def list_deliveries(request: Request, services: Services) -> Reply:
    """List the tenant's deliveries."""
    check_query(request, ("since", "until", "limit", "cursor"))
    page = services.delivery_log.page(
        request.principal,
        since=moment(request, "since"),
        until=moment(request, "until"),
        limit=limit(request),
        cursor=request.one("cursor"),
    )
    view = DeliveryList(deliveries=[_view(each) for each in page.deliveries], next_cursor=page.next_cursor)
    return Reply(200, view.model_dump(mode="json"))


def show_delivery(request: Request, services: Services) -> Reply:
    """Show a delivery."""
    return Reply(200, _view(services.delivery_log.get(request.principal, request.path["id"])).model_dump(mode="json"))


def replay_delivery(request: Request, services: Services) -> Reply:
    """Send a delivery again."""
    services.delivery_log.replay(request.principal, request.path["id"])
    return Reply(202, {"id": request.path["id"]})


def replay_deliveries(request: Request, services: Services) -> Reply:
    """Send the deliveries of a range of time again."""
    wanted = request.read(ReplayRange)
    only = DeliveryState(wanted.state) if wanted.state else None
    count, cursor = services.delivery_log.replay_range(
        request.principal, since=wanted.since, until=wanted.until, only=only, cursor=wanted.cursor
    )
    return Reply(202, Replayed(replayed=count, next_cursor=cursor).model_dump(mode="json"))


def _view(delivery: Delivery) -> DeliveryView:
    pending = delivery.state is DeliveryState.PENDING
    return DeliveryView(
        id=delivery.delivery_id,
        kind=delivery.form.value,
        url=delivery.url,
        state=delivery.state.value,
        attempts=delivery.attempts,
        created_at=delivery.created_at,
        next_try_at=datetime.fromtimestamp(delivery.due, delivery.created_at.tzinfo) if pending else None,
        tries=[
            TryView(at=each.at, error=each.error or None, milliseconds=each.milliseconds) for each in delivery.tries
        ],
        about=_about(json.loads(delivery.facts)),
    )


def _try(done: Try) -> TryView:
    return TryView(at=done.at, error=done.error or None, milliseconds=done.milliseconds)


def _about(facts: dict[str, Any]) -> dict[str, Any]:
    """What a delivery tells, without the text of an answer."""
    return {name: value for name, value in facts.items() if name not in ("answer", "answer_at")}


DELIVERIES = (
    Route(
        "GET",
        "/admin/deliveries",
        list_deliveries,
        "List webhooks and callbacks with their tries",
        reply=DeliveryList,
        query=("since", "until", "limit", "cursor"),
    ),
    Route(
        "POST",
        "/admin/deliveries/replay",
        replay_deliveries,
        "Send the deliveries of a range of time again",
        ReplayRange,
        Replayed,
        202,
    ),
    Route("GET", "/admin/deliveries/{id}", show_delivery, "Show a delivery with its tries", reply=DeliveryView),
    Route("POST", "/admin/deliveries/{id}/replay", replay_delivery, "Send a delivery again", status=202),
)
