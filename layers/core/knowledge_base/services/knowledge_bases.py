"""Make, find and remove knowledge bases."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from knowledge_base.domain.access import Principal
from knowledge_base.domain.errors import KnowledgeBaseNotFound, NameTaken, StaleState
from knowledge_base.domain.ids import new_id
from knowledge_base.domain.knowledge_bases import (
    ChunkingConfig,
    ChunkingStrategy,
    Dialect,
    EmbeddingConfig,
    KnowledgeBase,
    KnowledgeBaseConfig,
)
from knowledge_base.ports.catalog import KnowledgeBases
from knowledge_base.ports.clock import Clock
from knowledge_base.services.access import require_admin

DEFAULT_CHUNKING: Mapping[Dialect, ChunkingConfig] = {
    Dialect.URAN: ChunkingConfig(ChunkingStrategy.SEMANTIC, 512),
    Dialect.ENGINEERING: ChunkingConfig(ChunkingStrategy.OVERLAPPING, 1000, 200),
    Dialect.INTERVIEW: ChunkingConfig(ChunkingStrategy.SEMANTIC, 512),
    Dialect.SURVEY: ChunkingConfig(ChunkingStrategy.FIXED, 512, 64),
}

LEARNING = frozenset({Dialect.ENGINEERING})
"""Where votes move what is found, unless it is switched off."""

DOCUMENTS = "documents"
"""The name of the knowledge base of the engineering contract: one for each tenant."""

TRIES = 5
"""How often a change is tried while publishes go on in the same knowledge base."""


class KnowledgeBaseRegistry:
    """The knowledge bases of a tenant, by name."""

    def __init__(self, *, knowledge_bases: KnowledgeBases, embedding: EmbeddingConfig, clock: Clock) -> None:
        self._knowledge_bases = knowledge_bases
        self._embedding = embedding
        self._clock = clock

    def named(self, tenant: str, dialect: Dialect, name: str) -> KnowledgeBase:
        """Return the tenant's knowledge base of this name.

        Raises:
            KnowledgeBaseNotFound: there is none.
        """
        found = self._knowledge_bases.find(tenant, dialect, name)
        if found is None:
            raise KnowledgeBaseNotFound(name)
        return found

    def ensure(self, owner: Principal, dialect: Dialect, name: str) -> KnowledgeBase:
        """Return the tenant's knowledge base of this name, made with the dialect's defaults when missing."""
        found = self._knowledge_bases.find(owner.tenant, dialect, name)
        return found or self._create(owner, dialect, name)

    def documents(self, owner: Principal) -> KnowledgeBase:
        """Return the one knowledge base of the engineering contract that a tenant has, made when missing."""
        return self.ensure(owner, Dialect.ENGINEERING, DOCUMENTS)

    def find_documents(self, tenant: str) -> KnowledgeBase | None:
        """Return the one knowledge base of the engineering contract that a tenant has, None before it has any."""
        return self._knowledge_bases.find(tenant, Dialect.ENGINEERING, DOCUMENTS)

    def for_drop(self, tenant: str, name: str) -> KnowledgeBase:
        """Return the knowledge base that a drop's path names: by its id, else as a uran repository."""
        try:
            by_id = self._knowledge_bases.get(name)
        except KnowledgeBaseNotFound:
            by_id = None
        if by_id and by_id.tenant == tenant:
            return by_id
        return self.ensure(Principal(tenant, "drop"), Dialect.URAN, name)

    def remove(self, tenant: str, dialect: Dialect, name: str) -> None:
        """Remove a knowledge base: gone at once for every reader, purged by the sweep.

        Raises:
            KnowledgeBaseNotFound: there is none.
        """
        self._knowledge_bases.mark_deleted(self.named(tenant, dialect, name))

    def of_tenant(self, caller: Principal) -> list[KnowledgeBase]:
        """Return the knowledge bases of the caller's tenant, by dialect and name.

        Raises:
            NotPermitted: the caller is no admin.
        """
        require_admin(caller)
        return [found for dialect in Dialect for found in self._knowledge_bases.all_of(caller.tenant, dialect)]

    def switch(
        self, caller: Principal, kb_id: str, *, rerank: bool | None = None, learns: bool | None = None
    ) -> KnowledgeBase:
        """Switch reranking, or what votes do, on or off for one of the caller's tenant; None leaves it.

        Raises:
            NotPermitted: the caller is no admin.
            KnowledgeBaseNotFound: the tenant has none of this id.
            StaleState: it is written to all the time.
        """
        require_admin(caller)
        for _ in range(TRIES - 1):
            with suppress(StaleState):
                return self._switch(caller, kb_id, rerank, learns)
        return self._switch(caller, kb_id, rerank, learns)

    def _switch(self, caller: Principal, kb_id: str, rerank: bool | None, learns: bool | None) -> KnowledgeBase:
        found = self._knowledge_bases.get(kb_id)
        if found.tenant != caller.tenant:
            raise KnowledgeBaseNotFound(kb_id)
        config = found.config
        switched = replace(
            config,
            rerank=config.rerank if rerank is None else rerank,
            learns=config.learns if learns is None else learns,
        )
        return self._knowledge_bases.configure(found, switched)

    def _create(self, owner: Principal, dialect: Dialect, name: str) -> KnowledgeBase:
        now = self._clock.now()
        config = KnowledgeBaseConfig(DEFAULT_CHUNKING[dialect], self._embedding, learns=dialect in LEARNING)
        made = KnowledgeBase(new_id(), owner.tenant, dialect, name, owner.user_id, config, now, now)
        try:
            self._knowledge_bases.create(made)
        except NameTaken:
            return self.named(owner.tenant, dialect, name)
        return made
