"""What an index in OpenSearch looks like, and what it is called."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from knowledge_base.adapters.words import CJK, INVISIBLE
from knowledge_base.domain.identifiers import BOUNDARY
from knowledge_base.domain.knowledge_bases import EmbeddingConfig

# The same words as `adapters/words.py` finds: what is no letter, mark or digit parts words, and a run
# of Chinese, Japanese or Korean stands alone (the tokenizer would join Hangul with what is next to it).
_CHARACTER_FILTERS = {
    "drop_invisible": {"type": "pattern_replace", "pattern": rf"[\p{{Cf}}{INVISIBLE}]", "replacement": ""},
    "part_words": {"type": "pattern_replace", "pattern": r"[^\p{L}\p{M}\p{Nd}\p{Nl}]+", "replacement": " "},
    "part_cjk": {"type": "pattern_replace", "pattern": f"([{CJK}]+)", "replacement": " $1 "},
}
_FILTERS = {
    "part_identifiers": {
        "type": "pattern_capture",
        "patterns": [f"(?:^|{BOUNDARY})(.+?)(?=$|{BOUNDARY})"],
        "preserve_original": True,
    }
}
_ASKED = ["cjk_width", "lowercase", "cjk_bigram"]
"""For questions, whose words come parted, and in lower case."""

_ANALYZERS = {
    name: {"type": "custom", "char_filter": list(_CHARACTER_FILTERS), "tokenizer": "standard", "filter": filters}
    for name, filters in (("words", ["part_identifiers", *_ASKED]), ("asked", _ASKED))
}
_SETTINGS = {
    "knn": True,
    "knn.derived_source.enabled": False,  # 3.x would make up `_source` from the graph: vectors stay in it
    "number_of_shards": 1,  # the rarity of words, and so BM25, is counted in each shard for itself
    "auto_expand_replicas": "0-1",
    "refresh_interval": "30s",  # publishing refreshes when it is done
    "analysis": {"char_filter": _CHARACTER_FILTERS, "filter": _FILTERS, "analyzer": _ANALYZERS},
}


def describe_index(dimensions: int) -> dict[str, Any]:
    """Return the settings and the strict mapping of an index."""
    method = {
        "name": "hnsw",
        "engine": "lucene",
        "space_type": "cosinesimil",
        "parameters": {"m": 16, "ef_construction": 128},
    }
    fields = {
        **{name: {"type": "keyword"} for name in ("chunk_id", "tenant", "kb_id", "document_id", "readers")},
        **{name: {"type": "long"} for name in ("ordinal", "place", "from_rev", "to_rev")},
        "details": {"type": "object", "enabled": False},
        "text": {"type": "text", "analyzer": "words", "search_analyzer": "asked"},
        "vector": {"type": "knn_vector", "dimension": dimensions, "method": method},
    }
    return {"settings": {"index": _SETTINGS}, "mappings": {"dynamic": "strict", "properties": fields}}


def name_index(embedding: EmbeddingConfig) -> str:
    """Return a name that says the model, and is another for every model."""
    readable = re.sub(r"[^a-z0-9]+", "-", embedding.model.lower()).strip("-")[:60]
    digest = sha256(embedding.model.encode()).hexdigest()[:8]
    return f"chunks-{readable}-{digest}-{embedding.dimensions}"
