"""The adapters of a deployment, by the port they meet. The only place that picks them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge_base.adapters.aws.clients import AwsClients
from knowledge_base.adapters.aws.clock import SystemClock
from knowledge_base.domain.knowledge_bases import EmbeddingConfig
from knowledge_base.settings import DEFAULT_EMBEDDING, Endpoint, Settings, parse_endpoints

if TYPE_CHECKING:
    from knowledge_base.ports.answer_log import AnswerLog
    from knowledge_base.ports.breakers import Breakers
    from knowledge_base.ports.catalog import Documents, KnowledgeBases, Publications, Versions
    from knowledge_base.ports.dead_letters import DeadLetters
    from knowledge_base.ports.deliveries import Deliveries, Subscriptions
    from knowledge_base.ports.documents import Chunker, DocumentParser
    from knowledge_base.ports.feedback import FeedbackStore
    from knowledge_base.ports.intakes import Intakes
    from knowledge_base.ports.keys import Keys, Secrets
    from knowledge_base.ports.models import ChatModel, Embedders, Reranker
    from knowledge_base.ports.object_store import ObjectStore
    from knowledge_base.ports.queues import Queues
    from knowledge_base.ports.relevance import RelevanceVotes
    from knowledge_base.ports.vector_index import VectorIndexes
    from knowledge_base.ports.web import Web


class Stores:
    """The adapters, by the port they meet."""

    def __init__(self, config: Settings) -> None:
        self._settings = config
        self._aws = AwsClients(config.region, path_style=config.is_local)
        self.clock = SystemClock()

    @cached_property
    def knowledge_bases(self) -> KnowledgeBases:
        from knowledge_base.adapters.aws.knowledge_bases import DynamoDBKnowledgeBases

        return DynamoDBKnowledgeBases(self._aws.dynamodb, self._settings.catalog_table, self.clock)

    @cached_property
    def documents(self) -> Documents:
        from knowledge_base.adapters.aws.documents import DynamoDBDocuments

        return DynamoDBDocuments(self._aws.dynamodb, self._settings.catalog_table, self.clock)

    @cached_property
    def versions(self) -> Versions:
        from knowledge_base.adapters.aws.versions import DynamoDBVersions

        return DynamoDBVersions(self._aws.dynamodb, self._settings.catalog_table, self.clock)

    @cached_property
    def intakes(self) -> Intakes:
        from knowledge_base.adapters.aws.intakes import DynamoDBIntakes

        return DynamoDBIntakes(self._aws.dynamodb, self._settings.catalog_table, self.clock)

    @cached_property
    def publications(self) -> Publications:
        from knowledge_base.adapters.aws.publications import DynamoDBPublications

        return DynamoDBPublications(self._aws.dynamodb, self._settings.catalog_table, self.clock)

    @cached_property
    def keys(self) -> Keys:
        from knowledge_base.adapters.aws.keys import DynamoDBKeys

        return DynamoDBKeys(self._aws.dynamodb, self._settings.catalog_table)

    @cached_property
    def secrets(self) -> Secrets:
        from knowledge_base.adapters.aws.keys import DynamoDBSecrets

        return DynamoDBSecrets(self._aws.dynamodb, self._settings.catalog_table)

    @cached_property
    def dead_letters(self) -> DeadLetters:
        from knowledge_base.adapters.aws.dead_letters import DynamoDBDeadLetters

        return DynamoDBDeadLetters(self._aws.dynamodb, self._settings.catalog_table)

    @cached_property
    def answers(self) -> AnswerLog:
        from knowledge_base.adapters.aws.answer_log import DynamoDBAnswerLog

        return DynamoDBAnswerLog(self._aws.dynamodb, self._settings.runtime_table, self.clock)

    @cached_property
    def breakers(self) -> Breakers:
        from knowledge_base.adapters.aws.breakers import DynamoDBBreakers

        return DynamoDBBreakers(self._aws.dynamodb, self._settings.runtime_table, self.clock)

    @cached_property
    def feedback(self) -> FeedbackStore:
        from knowledge_base.adapters.aws.feedback import DynamoDBFeedback

        return DynamoDBFeedback(self._aws.dynamodb, self._settings.catalog_table)

    @cached_property
    def votes(self) -> RelevanceVotes:
        from knowledge_base.adapters.aws.relevance import DynamoDBRelevanceVotes

        return DynamoDBRelevanceVotes(self._aws.dynamodb, self._settings.catalog_table)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        from knowledge_base.adapters.aws.deliveries import DynamoDBSubscriptions

        return DynamoDBSubscriptions(self._aws.dynamodb, self._settings.runtime_table, self.clock)

    @cached_property
    def deliveries(self) -> Deliveries:
        from knowledge_base.adapters.aws.deliveries import DynamoDBDeliveries

        return DynamoDBDeliveries(self._aws.dynamodb, self._settings.runtime_table)

    @cached_property
    def objects(self) -> ObjectStore:
        from knowledge_base.adapters.aws.object_store import S3ObjectStore

        return S3ObjectStore(self._aws.s3, self._settings.documents_bucket)

    @cached_property
    def queues(self) -> Queues:
        from knowledge_base.adapters.aws.queues import SQSQueues

        return SQSQueues(self._aws.sqs, self._settings.queue_urls, self.objects)

    @cached_property
    def indexes(self) -> VectorIndexes:
        """The embedded index on a laptop, OpenSearch in an account."""
        if self._settings.index == "embedded":
            from knowledge_base.adapters.embedded.vector_indexes import EmbeddedVectorIndexes

            return EmbeddedVectorIndexes(Path(self._settings.index_path))
        from knowledge_base.adapters.opensearch.vector_indexes import OpenSearchVectorIndexes

        return OpenSearchVectorIndexes(self._settings.opensearch_url, region=self._settings.region)

    @cached_property
    def embedders(self) -> Embedders:
        from knowledge_base.adapters.openai.embedder import OpenAIEmbedders

        return OpenAIEmbedders(self._embedding_endpoints)

    @cached_property
    def chat(self) -> ChatModel | None:
        """The chat model, None where none is configured."""
        endpoints = self._endpoints(self._settings.llm_endpoints, self._settings.llm_endpoints_secret)
        if not endpoints:
            return None
        from knowledge_base.adapters.openai.chat_model import OpenAIChatModel

        return OpenAIChatModel(endpoints)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The reranker, None where none is configured."""
        endpoints = self._endpoints(self._settings.rerank_endpoints, self._settings.rerank_endpoints_secret)
        if not endpoints:
            return None
        from knowledge_base.adapters.openai.reranker import EndpointReranker

        return EndpointReranker(endpoints)

    @property
    def default_embedding(self) -> EmbeddingConfig:
        """The model that a new knowledge base gets: that of the first embedding endpoint."""
        first = next(iter(self._embedding_endpoints), None)
        return EmbeddingConfig(first.model, first.dimensions) if first else DEFAULT_EMBEDDING

    @cached_property
    def _embedding_endpoints(self) -> tuple[Endpoint, ...]:
        return self._endpoints(self._settings.embedding_endpoints, self._settings.embedding_endpoints_secret)

    def _endpoints(self, written: tuple[Endpoint, ...], secret: str) -> tuple[Endpoint, ...]:
        """Endpoints with keys stand in a secret, others in the environment."""
        if not secret:
            return written
        value = self._aws.secretsmanager.get_secret_value(SecretId=secret)["SecretString"]
        return parse_endpoints("the endpoints' secret", value)

    @cached_property
    def web(self) -> Web:
        from knowledge_base.adapters.web.guarded import GuardedWeb

        return GuardedWeb(self._settings.fetch_allow_hosts)

    @cached_property
    def parser(self) -> DocumentParser:
        from knowledge_base.adapters.parsing.sandbox.parser import WARM_LIBRARY_PARSER, SandboxedDocumentParser

        return SandboxedDocumentParser(WARM_LIBRARY_PARSER, self._settings.ocr_languages)

    @cached_property
    def chunker(self) -> Chunker:
        from knowledge_base.adapters.chunking.text_chunker import TextChunker

        return TextChunker()

    def hide_message(self, queue_arn: str, receipt: str, seconds: int) -> None:
        """Let a received message come back after so many seconds."""
        from knowledge_base.adapters.aws.queues import hide_message

        hide_message(self._aws.sqs, queue_arn, receipt, seconds)
