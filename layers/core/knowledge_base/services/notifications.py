"""Tell callers how their work ended: signed POSTs, tried until the receiver takes them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Protocol

from knowledge_base.domain.answers import Answer
from knowledge_base.domain.deadlines import SUBSCRIPTION, due_in
from knowledge_base.domain.deliveries import Delivery, DeliveryForm, DeliveryState, Subscription, Try
from knowledge_base.domain.documents import Failure, Version
from knowledge_base.domain.errors import (
    AddressNotAllowed,
    DownloadFailed,
    ObjectNotFound,
    StaleState,
    VersionNotFound,
)
from knowledge_base.domain.ids import id_from
from knowledge_base.domain.object_keys import key_of_answer
from knowledge_base.domain.signatures import sign
from knowledge_base.ports.catalog import Versions
from knowledge_base.ports.clock import Clock
from knowledge_base.ports.deliveries import Deliveries, Subscriptions
from knowledge_base.ports.keys import Secrets
from knowledge_base.ports.object_store import ObjectStore
from knowledge_base.ports.queues import Queue, Queues
from knowledge_base.ports.web import PostReply, Web

logger = logging.getLogger(__name__)

MAX_DELAY = 900
"""The longest delay of an SQS message; a longer wait is the sweep's."""

DELIVERY_LEASE = 60
"""A try that has not ended by then has died, and the next may begin; a POST itself may take 10 seconds."""


LONGEST_ANSWER = 100_000
"""In bytes of JSON; a longer one is kept beside the delivery, which is an item of a table that takes 400 KB."""


class Wording(Protocol):
    """How a form of delivery is worded, and what reply to it counts as taken."""

    def body(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON body to POST."""

    def is_taken(self, reply: PostReply) -> bool:
        """Tell whether the receiver took it."""


class Notifications:
    """Turns ended versions into deliveries, and delivers."""

    def __init__(
        self,
        *,
        subscriptions: Subscriptions,
        deliveries: Deliveries,
        versions: Versions,
        secrets: Secrets,
        objects: ObjectStore,
        queues: Queues,
        web: Web,
        retry_seconds: tuple[int, ...],
        give_up: Callable[[Delivery], None],
        clock: Clock,
    ) -> None:
        self._subscriptions = subscriptions
        self._deliveries = deliveries
        self._versions = versions
        self._secrets = secrets
        self._objects = objects
        self._queues = queues
        self._web = web
        self._retry_seconds = retry_seconds
        self._give_up = give_up
        self._clock = clock

    def check_address(self, url: str) -> None:
        """Refuse an address that could never be notified, before anything is promised.

        Raises:
            AddressNotAllowed: its scheme, form or literal address is not allowed.
        """
        self._web.check(url)

    def subscribe(self, subscription: Subscription) -> None:
        """Promise to tell how a version ends; when it has ended already, tell at once."""
        self._subscriptions.add(subscription)
        version = self._versions.get(subscription.document_id, subscription.ordinal)
        if version.state.is_terminal:
            self._tell(subscription, version)

    def promise(self, subscriptions: Sequence[Subscription]) -> None:
        """Promise to tell how versions end whose ingestion has not been started yet."""
        self._subscriptions.add_all(subscriptions)

    def refused(self, subscription: Subscription, failure: Failure) -> None:
        """Tell that an import ended before there was a version of it; again changes nothing."""
        self._send_status(subscription, failure)

    def version_ended(self, version: Version) -> None:
        """Tell everybody who subscribed to a version that has ended."""
        for subscription in self._subscriptions.of_version(version.document_id, version.ordinal):
            self._tell(subscription, version)

    def answer_ended(self, answer: Answer) -> None:
        """Tell an answer to the address that its question named; again changes nothing."""
        question, token = answer.record.question, answer.record.token
        facts = {
            "question_token": question.caller_token or token,
            **self._kept(token, answer.text),
            "failure": {"code": answer.error.code, "message": answer.error.message} if answer.error else None,
        }
        tenant, url = answer.record.principal.tenant, question.response_url
        self.send(tenant, url, DeliveryForm.URAN_ANSWER, facts, delivery_id=id_from(f"answer {token}"))

    def check(self, subscription: Subscription) -> None:
        """Tell what was missed, when a version ended and whoever ended it died before telling."""
        try:
            version = self._versions.get(subscription.document_id, subscription.ordinal)
        except VersionNotFound:
            self._subscriptions.remove(subscription)
            return
        if version.state.is_terminal:
            self._tell(subscription, version)
        else:
            self._subscriptions.postpone(subscription, due_in(SUBSCRIPTION, self._clock.now()))

    def send(self, tenant: str, url: str, form: DeliveryForm, facts: Mapping[str, Any], *, delivery_id: str) -> None:
        """Start a delivery; the same id again changes nothing."""
        now = self._clock.now()
        facts_json = json.dumps(facts, ensure_ascii=False)
        delivery = Delivery(delivery_id, tenant, url, form, facts_json, now, due_in(0, now))
        self._deliveries.add(delivery)
        self._queues.send(Queue.NOTIFY, {"delivery_id": delivery_id}, group=tenant)

    def remind(self, delivery: Delivery) -> None:
        """Put a delivery on the queue again whose time has come or whose message was lost."""
        self._queues.send(Queue.NOTIFY, {"delivery_id": delivery.delivery_id}, group=delivery.tenant)

    def deliver(self, delivery_id: str, wordings: Mapping[DeliveryForm, Wording]) -> None:
        """Try a delivery once, and arrange the next try; give it up when this was the last.

        A second message for the same try does nothing: the try is counted before it is made.
        """
        delivery = self._deliveries.get(delivery_id)
        if delivery is None or not self._is_due(delivery):
            return
        try:
            counted = self._count(delivery)
        except StaleState:
            return
        done = self._try(counted, wordings[counted.form])
        if done.error:
            self._arrange_next(counted, done)
        else:
            self._deliveries.update(counted, replace(counted.tried(done), state=DeliveryState.DELIVERED))

    def _kept(self, token: str, text: str) -> dict[str, str]:
        """Return what a delivery says of an answer: its text, or where that stands."""
        if len(json.dumps(text)) <= LONGEST_ANSWER:
            return {"answer": text}
        self._objects.put(key_of_answer(token), text.encode(errors="surrogatepass"))
        return {"answer_at": key_of_answer(token)}

    def _facts(self, delivery: Delivery) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads(delivery.facts)
        if "answer_at" in facts:
            facts["answer"] = self._objects.get(facts["answer_at"]).decode(errors="surrogatepass")
        return facts

    def _try(self, delivery: Delivery, wording: Wording) -> Try:
        begun = self._clock.now()
        error = self._post(delivery, wording)
        return Try(begun, error, round(1000 * (self._clock.now() - begun).total_seconds()))

    def _tell(self, subscription: Subscription, version: Version) -> None:
        self._send_status(subscription, version.failure)
        self._subscriptions.remove(subscription)

    def _send_status(self, subscription: Subscription, failure: Failure | None) -> None:
        facts = {
            "name": subscription.name,
            "type": subscription.declared_type,
            "url": subscription.source_url,
            "md5": subscription.md5,
            "repository": subscription.repository,
            "failure": asdict(failure) if failure else None,
        }
        form = DeliveryForm.URAN_DOCUMENT_STATUS
        self.send(subscription.tenant, subscription.url, form, facts, delivery_id=subscription.subscription_id)

    def _is_due(self, delivery: Delivery) -> bool:
        return delivery.state is DeliveryState.PENDING and delivery.due <= due_in(0, self._clock.now())

    def _count(self, delivery: Delivery) -> Delivery:
        due = due_in(DELIVERY_LEASE, self._clock.now())
        counted = replace(delivery, attempts=delivery.attempts + 1, due=due)
        self._deliveries.update(delivery, counted)
        return counted

    def _wait_after(self, attempts: int) -> int | None:
        """The wait after so many tries; None after the last."""
        return self._retry_seconds[attempts - 1] if attempts <= len(self._retry_seconds) else None

    def _post(self, delivery: Delivery, wording: Wording) -> str:
        """Try once; return what went wrong, in plain words, or nothing."""
        now = self._clock.now()
        try:
            body = json.dumps(wording.body(self._facts(delivery)), ensure_ascii=False).encode()
            reply = self._web.post(delivery.url, body, self._headers(delivery, body, now))
        except (AddressNotAllowed, DownloadFailed) as error:
            return str(error)
        except ObjectNotFound:
            return "the answer is not kept any more"
        if wording.is_taken(reply):
            return ""
        said = ", but its body says that it failed" if 200 <= reply.status < 300 else ""
        return f"the receiver answered {reply.status}{said}"

    def _headers(self, delivery: Delivery, body: bytes, now: datetime) -> dict[str, str]:
        stamp = int(now.timestamp())
        headers = {
            "content-type": "application/json;charset=UTF-8",
            "webhook-id": delivery.delivery_id,
            "webhook-timestamp": str(stamp),
        }
        stored = self._secrets.get(delivery.tenant)
        if stored is None:
            return headers
        valid = [stored.current]
        if stored.previous_valid_until and stored.previous_valid_until > now:
            valid.append(stored.previous)
        return headers | sign(valid, delivery.delivery_id, stamp, body)

    def _arrange_next(self, delivery: Delivery, done: Try) -> None:
        about = {"delivery_id": delivery.delivery_id, "tenant": delivery.tenant, "attempts": delivery.attempts}
        logger.warning("delivery failed: %s", done.error, extra=about)
        wait = self._wait_after(delivery.attempts)
        if wait is None:
            dead = replace(delivery.tried(done), state=DeliveryState.DEAD)
            self._deliveries.update(delivery, dead)
            self._give_up(dead)
            return
        self._deliveries.update(delivery, replace(delivery.tried(done), due=due_in(wait, self._clock.now())))
        if wait <= MAX_DELAY:
            body = {"delivery_id": delivery.delivery_id}
            self._queues.send(Queue.NOTIFY, body, delay=wait, group=delivery.tenant)
