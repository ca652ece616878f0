"""How the methods of both faces look to whoever inspects them: like the flow that they drive, without its core."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


def seen_from(method: Method, flow: Callable[..., Any]) -> Method:
    """Return a method with the name, the docstring and the parameters of its flow."""
    method.__name__ = flow.__name__
    method.__qualname__ = f"{method.__qualname__.partition('.')[0].lstrip('_')}.{flow.__name__}"
    method.__doc__ = flow.__doc__
    core, *parameters = inspect.signature(flow).parameters.values()
    # Functions have no such attribute until it is set, so mypy knows of none; `inspect` reads it.
    method.__signature__ = inspect.Signature([core.replace(name="self", annotation=core.empty), *parameters])  # type: ignore[attr-defined]
    return method
