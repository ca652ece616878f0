"""What a REST contract is made of: routes, an error table, and forms of reply. Free of any server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from knowledge_base.domain.access import Principal
from knowledge_base.domain.answers import Answer, AnswerRecord, LoggedEvent
from knowledge_base.domain.errors import InvalidInput, KnowledgeBaseError, NotAuthenticated, Unavailable
from knowledge_base.services.registry import Services

Model = TypeVar("Model", bound=BaseModel)

JSON = "application/json;charset=UTF-8"
ALLOWED_HEADERS = (
    "Authorization",
    "Content-Type",
    "If-Match",
    "Prefer",
    "X-Api-Key",
    "Last-Event-ID",
    "X-Answer-Token",
)
EXPOSED_HEADERS = ("X-Answer-Token", "X-Document-Version", "Content-Disposition", "ETag", "Retry-After")
"""What a page of another origin may send, and may read, where CORS is configured."""

RETRY_AFTER = 5
"""When to come back to a part that is down and does not say when it will be up, in seconds."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request, whatever brought it; header names are in lower case, path parameters decoded."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, list[str]] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    caller: Principal | None = None

    @property
    def principal(self) -> Principal:
        """The authenticated caller.

        Raises:
            NotAuthenticated: the route is public and nobody was authenticated.
        """
        if self.caller is None:
            raise NotAuthenticated("this needs an API key")
        return self.caller

    def read(self, model: type[Model]) -> Model:
        """Return the JSON body as a model.

        Raises:
            InvalidInput: it is no JSON, or not of the model's form; the message says where.
        """
        return read_json(model, self.body)

    def one(self, name: str) -> str | None:
        """Return the last value of a query parameter, None without one."""
        values = self.query.get(name)
        return values[-1] if values else None


@dataclass(frozen=True, slots=True)
class Reply:
    """A JSON reply."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    media_type: str = JSON


Handler = Callable[[Request, Services], Reply]


@dataclass(frozen=True, slots=True)
class Route:
    """One method on one path, e.g. `GET /admin/keys/{key_id}`; what follows `summary` describes it for OpenAPI.

    `body_types` are the media types that the body may have; `headers` those that the request may carry.
    """

    method: str
    path: str
    handle: Handler
    summary: str
    body: type[BaseModel] | None = None
    reply: type[BaseModel] | None = None
    status: int = 200
    public: bool = False
    query: tuple[str, ...] = ()
    body_types: tuple[str, ...] = ("application/json",)
    headers: tuple[str, ...] = ()


class StreamEncoder(Protocol):
    """Turns an answer's events into a dialect's frames; holds what it needs from one event to the next."""

    def encode(self, logged: LoggedEvent) -> Iterator[str]:
        """Yield the frames of one event, each complete with its blank line."""

    def fail(self, status: int, message: str) -> Iterator[str]:
        """Yield the frames that end a stream that could not go on."""


@dataclass(frozen=True, slots=True)
class StreamRoute:
    """One method on one path that is answered by an answer's events."""

    method: str
    path: str
    start: Callable[[Request, Services], AnswerRecord]
    encoder: Callable[[], StreamEncoder]
    summary: str
    body: type[BaseModel] | None = None


@dataclass(frozen=True, slots=True)
class AnswerRoute:
    """One method on one path that is answered once, in JSON, when an answer has ended.

    With an `encoder`, who asks for a stream (`wants_stream`) is answered by the events instead.
    """

    method: str
    path: str
    start: Callable[[Request, Services], AnswerRecord]
    tell: Callable[[Answer], Reply]
    summary: str
    body: type[BaseModel] | None = None
    reply: type[BaseModel] | None = None
    encoder: Callable[[], StreamEncoder] | None = None
    wants_stream: Callable[[Request], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class Download:
    """Bytes for a caller, piece by piece; `pieces` closes what it reads from when it is closed."""

    pieces: Iterator[bytes]
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DownloadRoute:
    """One method on one path that is answered by bytes; `media_types` are those that it may send."""

    method: str
    path: str
    open: Callable[[Request, Services], Download]
    summary: str
    media_types: tuple[str, ...]
    query: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """A dialect: its routes and how it says that something went wrong.

    Plain `routes` are answered within the 29 seconds that API Gateway gives a function. What may take
    longer is served where streams are: `slow` routes, and `answers`, which wait for one to be written.

    `examples` show bodies and replies as the dialect's own document does.
    `errors` maps every error class of the domain to a status; `error_body` gives the wire form.
    """

    name: str
    title: str
    routes: tuple[Route, ...]
    streams: tuple[StreamRoute, ...]
    errors: Mapping[type[KnowledgeBaseError], int]
    error_body: Callable[[int, str, str], Any]
    error_model: type[BaseModel]
    downloads: tuple[DownloadRoute, ...] = ()
    answers: tuple[AnswerRoute, ...] = ()
    slow: tuple[Route, ...] = ()
    error_media_type: str = JSON
    examples: Mapping[type[BaseModel], Any] = field(default_factory=dict)

    @property
    def served_by_stream(self) -> tuple[StreamRoute | DownloadRoute | AnswerRoute | Route, ...]:
        """The routes that the function `stream` answers."""
        return (*self.streams, *self.downloads, *self.answers, *self.slow)

    def error_reply(self, error: Exception) -> Reply:
        """Return how the dialect tells an error; of an unforeseen one it tells nothing."""
        if not isinstance(error, KnowledgeBaseError):
            return self.refusal(500, "internal", "internal error")
        return self.refusal(self.status_of(error), code_of(error), str(error), _retry_after(error))

    def status_of(self, error: KnowledgeBaseError) -> int:
        """Return the status of an error: that of the nearest class in its ancestry."""
        return next(self.errors[kind] for kind in type(error).__mro__ if kind in self.errors)

    def not_found(self, path: str) -> Reply:
        """Return how the dialect tells that it has no such route."""
        return self.refusal(404, "route_not_found", f"no such route: {path}")

    def refusal(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Reply:
        """Return a refusal in the dialect's form."""
        return Reply(status, self.error_body(status, code, message), headers or {}, self.error_media_type)


def failure_status(code: str) -> int:
    """Return the status of an answer that has failed with a code, in any contract."""
    return _FAILED_ANSWERS.get(code, 500)


_FAILED_ANSWERS: Mapping[str, int] = {
    "knowledge_base_not_found": 404,
    "cancelled": 499,
    "refused": 422,
    "embedding_failed": 502,
    "not_configured": 503,
    "unavailable": 503,
    "timeout": 504,
}


def failure_headers(code: str) -> dict[str, str]:
    """Return the headers that tell such a failure: when to ask again, where that may help."""
    return {"Retry-After": str(RETRY_AFTER)} if code == "unavailable" else {}


def code_of(error: KnowledgeBaseError) -> str:
    """Return an error's name in snake case, e.g. `document_not_found`."""
    name = type(error).__name__
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def handle(contract: Contract, route: Route, request: Request, services: Services) -> Reply:
    """Run a route for an authenticated caller; every error becomes a reply in the contract's form."""
    try:
        return route.handle(authenticated(request, services, public=route.public), services)
    except KnowledgeBaseError as error:
        return contract.error_reply(error)


def authenticated(request: Request, services: Services, *, public: bool = False) -> Request:
    """Return the request with its caller.

    Raises:
        NotAuthenticated: nobody could be authenticated, and the route is not public.
    """
    if public:
        return request
    caller = services.access.authenticate(request.headers)
    return replace(request, caller=caller)


def read_json(model: type[Model], data: bytes, *, place: str = "") -> Model:
    """Return JSON as a model; `place` is where the request has it.

    Raises:
        InvalidInput: it is no JSON, or not of the model's form; the message says where.
    """
    try:
        return model.model_validate_json(data)
    except ValidationError as error:
        raise _first_fault(error, place) from None


def check_query(request: Request, known: Iterable[str]) -> None:
    """Refuse query parameters that are not known, so that a misspelt one is never taken for "all".

    Raises:
        InvalidInput: there is one.
    """
    for name in request.query:
        if name not in known:
            raise InvalidInput(f"unknown parameter: {name}", field=name)


def _first_fault(error: ValidationError, place: str = "") -> InvalidInput:
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in (*([place] if place else []), *fault["loc"]))
    what = fault["msg"].removeprefix("Value error, ")
    return InvalidInput(f"{where}: {what}" if where else what, field=where or None)


def _retry_after(error: KnowledgeBaseError) -> dict[str, str]:
    if not isinstance(error, Unavailable):
        return {}
    seconds = RETRY_AFTER if error.retry_after is None else error.retry_after
    return {"Retry-After": str(max(1, round(seconds)))}
