"""The services that search, answer questions and keep the answers."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from knowledge_base.bootstrap.foundations import Foundations

if TYPE_CHECKING:
    from knowledge_base.services.answering import Answering
    from knowledge_base.services.answers import Answers
    from knowledge_base.services.condensing import Condensing
    from knowledge_base.services.document_search import DocumentSearch
    from knowledge_base.services.document_sets import DocumentSets
    from knowledge_base.services.feedback import FeedbackDesk
    from knowledge_base.services.images import QuestionImages
    from knowledge_base.services.question_path import QuestionPath
    from knowledge_base.services.questions import Questions
    from knowledge_base.services.searching import Searching
    from knowledge_base.services.tracing import Tracing
    from knowledge_base.services.vectors import Vectors


class AnswerServices(Foundations):
    """Wires what callers ask, and the functions that answer."""

    @cached_property
    def answers(self) -> Answers:
        from knowledge_base.services.answers import Answers

        stores = self.stores
        return Answers(
            answers=stores.answers, documents=stores.documents, endings=self._answer_endings, clock=stores.clock
        )

    @cached_property
    def feedback(self) -> FeedbackDesk:
        from knowledge_base.services.feedback import FeedbackDesk

        return FeedbackDesk(answers=self.answers, feedback=self.stores.feedback, clock=self.stores.clock)

    @cached_property
    def answering(self) -> Answering:
        from knowledge_base.services.answering import Answering

        stores = self.stores
        return Answering(
            answers=stores.answers,
            endings=self._answer_endings,
            chat=stores.chat,
            images=self._images,
            count_tokens=stores.chunker.count_tokens,
            tracing=self._tracing,
            evidence=self._settings.evidence,
        )

    @cached_property
    def _tracing(self) -> Tracing:
        from knowledge_base.services.tracing import Tracing

        return Tracing(answers=self.stores.answers, clock=self.stores.clock)

    @cached_property
    def vectors(self) -> Vectors:
        from knowledge_base.services.vectors import Vectors

        return Vectors(embedders=self.stores.embedders, embedding=self.stores.default_embedding)

    @cached_property
    def document_search(self) -> DocumentSearch:
        from knowledge_base.services.document_search import DocumentSearch
        from knowledge_base.services.search_cache import SearchCache

        stores = self.stores
        return DocumentSearch(
            searching=self.searching,
            sets=self.document_sets,
            embedders=stores.embedders,
            cache=SearchCache(stores.clock),
        )

    @cached_property
    def document_sets(self) -> DocumentSets:
        from knowledge_base.services.document_sets import DocumentSets

        return DocumentSets(documents=self.stores.documents, knowledge_bases=self.stores.knowledge_bases)

    @cached_property
    def questions(self) -> Questions:
        from knowledge_base.services.questions import Questions

        stores = self.stores
        return Questions(answers=stores.answers, queues=stores.queues, gateways=self.gateways, clock=stores.clock)

    @cached_property
    def question_path(self) -> QuestionPath:
        from knowledge_base.services.question_path import QuestionPath

        return QuestionPath(
            answers=self.stores.answers,
            endings=self._answer_endings,
            queues=self.stores.queues,
            searching=self.searching,
            sets=self.document_sets,
            condensing=self.condensing,
            images=self._images,
            tracing=self._tracing,
        )

    @cached_property
    def _images(self) -> QuestionImages:
        from knowledge_base.services.images import QuestionImages

        return QuestionImages(web=self.stores.web, objects=self.stores.objects, chat=self.stores.chat)

    @cached_property
    def condensing(self) -> Condensing:
        from knowledge_base.services.condensing import Condensing

        return Condensing(self.stores.chat)

    @cached_property
    def searching(self) -> Searching:
        from knowledge_base.services.relevance import VotePriors
        from knowledge_base.services.reranking import Reranking
        from knowledge_base.services.searching import Searching

        stores = self.stores
        return Searching(
            knowledge_bases=stores.knowledge_bases,
            documents=stores.documents,
            versions=stores.versions,
            indexes=stores.indexes,
            embedders=stores.embedders,
            reranking=Reranking(stores.reranker),
            priors=VotePriors(stores.votes),
        )
