"""Puts the product together. The only place that picks adapters."""

from knowledge_base.bootstrap.container import Container, get_container

__all__ = ["Container", "get_container"]
