"""Reads query parameters: an unknown one is an error, and a misspelt filter never means "all"."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from knowledge_base.dialects.contract import Request
from knowledge_base.dialects.engineering.schemas import Strict
from knowledge_base.domain.errors import InvalidInput

REPEATED = ("tags", "any_tags")
FREE = "metadata."
"""`metadata.team=core` filters by the free field `team`."""

Query = TypeVar("Query", bound=Strict)


def read_query(request: Request, model: type[Query]) -> Query:
    """Return the query parameters as a model.

    Raises:
        InvalidInput: one is not known, is there twice, or is not of its form.
    """
    given: dict[str, Any] = {}
    free: dict[str, str] = {}
    for name, values in request.query.items():
        if name in REPEATED:
            given[name] = values
        elif len(values) > 1:
            raise InvalidInput(f"{name} is given twice", field=name)
        elif name.startswith(FREE):
            free[name.removeprefix(FREE)] = values[0]
        elif name == "metadata":
            raise InvalidInput("unknown parameter: metadata", field=name)
        else:
            given[name] = values[0]
    try:
        return model.model_validate({**given, "metadata": free} if free else given)
    except ValidationError as error:
        raise _fault(error) from None


def _fault(error: ValidationError) -> InvalidInput:
    fault = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(fault["loc"][0]) if fault["loc"] else ""
    if fault["type"] == "extra_forbidden":
        return InvalidInput(f"unknown parameter: {name}", field=name)
    if fault["type"] == "missing":
        return InvalidInput(f"the parameter {name} is missing", field=name)
    return InvalidInput(f"{name}: {fault['msg']}", field=name)
