"""The vector index in an SQLite file."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge_base.adapters.embedded.vector_indexes import EmbeddedVectorIndexes
from tests.contract.vector_index_contract import VectorIndexContract


class TestEmbeddedVectorIndex(VectorIndexContract):
    @pytest.fixture
    def indexes(self, tmp_path: Path) -> EmbeddedVectorIndexes:
        return EmbeddedVectorIndexes(tmp_path / "index")
