"""Random users, roles, documents and changes against a plain reference: nothing leaks through any route."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from knowledge_base.dialects.contract import Reply, Request, authenticated, handle
from knowledge_base.dialects.engineering.routes import CONTRACT
from knowledge_base.dialects.platform.routes import CONTRACT as PLATFORM
from knowledge_base.domain.errors import KnowledgeBaseError
from knowledge_base.ports.queues import Queue
from tests.unit.dialects.engineering import Caller
from tests.unit.dialects.permission_model import ModelDocument, ModelUser, PermissionModel
from tests.world import World

SEEDS = (1, 2, 3, 4)
STEPS = int(os.environ.get("KB_PERMISSION_STEPS", "2000")) // len(SEEDS)
MOST_DOCUMENTS = 10
ROLES = ("dev", "ops")
NAMES = ("ann", "bob", "dev", "ops", "user:bob", "user:dev", "role:dev", "role:ops", "nobody")
ALLOWED = (
    (),
    ("read",),
    ("read", "write"),
    ("read", "write"),
    ("read", "delete"),
    ("write",),
    ("read", "write", "delete"),
)
TAGS = ("x", "y", "z")


class Play:
    """One random run: does something, and compares what everybody sees with the model."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = random.Random(seed)
        self.model = PermissionModel()
        self.users = [ModelUser("ann", set()), ModelUser("bob", {"dev"}), ModelUser("dev", {"ops"})]
        self.users += [ModelUser("root", {"admin"}), ModelUser("ann", {"admin"}, "globex")]
        self.callers = [self._caller(user) for user in self.users]
        self.made = 0

    def step(self) -> None:
        """Do one thing, then look at everything that one user sees."""
        acts: list[tuple[Callable[[], None], int]] = [
            (self.create, 2),
            (self.change_rights, 6),
            (self.change_tags, 3),
            (self.change_content, 1),
            (self.remove, 1),
            (self.change_roles, 3),
            (self.ingest, 1),
            (self.look, 4),
        ]
        act = self.chance.choices([act for act, _ in acts], [weight for _, weight in acts])[0]
        act()
        self.look()

    def create(self) -> None:
        user, caller = self._somebody()
        if user.tenant != "acme" or len(self.model.documents) >= MOST_DOCUMENTS:
            return
        secret, rights, tags = self._secret(), self._rights(), self._tags()
        said = json.dumps({**rights, "tags": sorted(tags), "title": f"Title {secret}"})
        files = {"document": (f"{secret}.md", f"The pump {secret}.")}
        reply = caller("POST", "/documents", files=files, data={"metadata": said})
        assert reply.status == 200, reply.body
        document = ModelDocument(reply.body["document_id"], user.user_id, secret, tags=tags)
        self._set_rights(document, rights)
        self.model.documents[document.document_id] = document
        self.world.clock.pass_seconds(1)

    def change_rights(self) -> None:
        self._change(self._rights(), changes_rights=True)

    def change_tags(self) -> None:
        self._change({"tags": sorted(self._tags())})

    def change_content(self) -> None:
        (user, caller), document_id = self._somebody(), self._some_document()
        document = self.model.documents.get(document_id)
        text = f"The pump {document.secret} again." if document else "The pump."
        if self.chance.random() < 0.5:
            reply = caller("POST", f"/documents/{document_id}/versions/1/restore")
        else:
            reply = caller("PUT", f"/documents/{document_id}", files={"document": ("new.md", text)})
        assert reply.status == self.model.status(user, document_id, "write")

    def remove(self) -> None:
        (user, caller), document_id = self._somebody(), self._some_document()
        expected = self.model.status(user, document_id, "delete")
        reply = caller("DELETE", f"/documents/{document_id}")
        assert reply.status == (204 if expected == 200 else expected)
        if expected == 200:
            self.model.removed.append(self.model.documents.pop(document_id))

    def change_roles(self) -> None:
        place = self.chance.randrange(3)
        self.users[place].roles = set(self.chance.sample(ROLES, self.chance.randrange(3)))
        self.callers[place] = self._caller(self.users[place])

    def ingest(self) -> None:
        self.world.run()
        for document in self.model.documents.values():
            document.found = True

    def look(self) -> None:
        """See what one user sees through one route of each kind."""
        user, caller = self._somebody()
        tags = self.chance.choice([(), (), ("x",), ("x", "y")])
        looks = [self._look_at_list, self._look_by_search, self._look_by_similarity, self._look_at_document]
        looks += [self._look_at_related, self._vote, self._look_by_question]
        # A question passes through three functions: it takes as long as ten of the others.
        often = [5] * (len(looks) - 1) + [1]
        self.chance.choices(looks, often)[0](user, caller, tags)

    def _look_at_list(self, user: ModelUser, caller: Caller, tags: tuple[str, ...]) -> None:
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            reply = caller("GET", "/documents", params={"limit": 3, "tags": list(tags), **cursor})
            self._check(user, reply)
            found += [document["document_id"] for document in reply.body["documents"]]
            if not reply.body["next_cursor"]:
                break
            cursor = {"cursor": reply.body["next_cursor"]}
        assert found == self.model.readable(user, tags)

    def _look_by_search(self, user: ModelUser, caller: Caller, tags: tuple[str, ...]) -> None:
        mode = self.chance.choice(("hybrid", "vector", "keyword"))
        parameters = {"query": "pump", "limit": 100, "mode": mode, "explain": "true", "tags": list(tags)}
        self._check_found(user, caller("GET", "/search", params=parameters), tags)

    def _look_by_similarity(self, user: ModelUser, caller: Caller, tags: tuple[str, ...]) -> None:
        body = {"text": "The pump.", "limit": 100, "filters": {"tags": list(tags)}}
        self._check_found(user, caller("POST", "/search/similar", json=body), tags)

    def _look_by_question(self, user: ModelUser, caller: Caller, tags: tuple[str, ...]) -> None:
        body = {"question": "Which pump is it?", "limit": 20, "filters": {"tags": list(tags)}}
        request = Request(body=json.dumps(body).encode(), headers={"authorization": f"Bearer {caller.key}"})
        services = self.world.container
        (route,) = CONTRACT.answers
        record = route.start(authenticated(request, services), services)
        self.world.run(Queue.QUESTION, Queue.SEARCH, Queue.ANSWER)
        reply = route.tell(services.answers.get(record.principal, record.token))
        self._check(user, reply)
        cited = {source["document_id"] for source in reply.body["references"]}
        assert cited <= self.model.findable(user, tags)
        assert bool(cited) is bool(self.model.findable(user, tags))

    def _look_at_related(self, user: ModelUser, caller: Caller, _tags: tuple[str, ...]) -> None:
        document_id = self._some_document()
        reply = caller("GET", f"/documents/{document_id}/related", params={"limit": 50})
        self._check(user, reply, document_id)
        if self.model.status(user, document_id, "read") == 404:
            assert reply.status == 404
        elif self.model.documents[document_id].found:
            related = {found["document_id"] for found in reply.body["related"]}
            assert related == self.model.findable(user) - {document_id}
        else:
            assert reply.status == 409

    def _vote(self, user: ModelUser, caller: Caller, _tags: tuple[str, ...]) -> None:
        document_id = self._some_document()
        body = {"query": "pump", "document_id": document_id, "chunk_index": 0, "rating": "up"}
        reply = caller("POST", "/search/feedback", json=body)
        assert reply.status == (204 if document_id in self.model.findable(user) else 404)

    def _look_at_document(self, user: ModelUser, caller: Caller, _tags: tuple[str, ...]) -> None:
        document_id = self._some_document()
        expected = self.model.status(user, document_id, "read")
        reply = caller("GET", f"/documents/{document_id}")
        assert reply.status == expected
        self._check(user, reply, document_id)
        versions = caller("GET", f"/documents/{document_id}/versions")
        assert versions.status == expected
        self._check(user, versions, document_id)
        ingestion = self._ingestion(caller, document_id)
        assert ingestion.status == expected
        self._check(user, ingestion, document_id)
        for route in CONTRACT.downloads:
            status, body = self._download(caller, route.path, document_id)
            assert status == 404 if expected == 404 else status in (200, 409)
            self._check_text(user, body.decode(), document_id)

    def _change(self, said: Mapping[str, Any], *, changes_rights: bool = False) -> None:
        (user, caller), document_id = self._somebody(), self._some_document()
        expected = self.model.status(user, document_id, "write")
        document = self.model.documents.get(document_id)
        if expected == 200 and document and changes_rights and self._is_other(document, said):
            expected = self.model.status(user, document_id, "write", changes_rights=True)
        reply = caller.change(document_id, said)
        assert reply.status == expected, reply.body
        if expected == 200 and document:
            self._set_rights(document, said)
            document.tags = frozenset(said.get("tags", document.tags))

    def _is_other(self, document: ModelDocument, said: Mapping[str, Any]) -> bool:
        """Whether a change of rights changes any; one that repeats what holds is no change."""
        if said.get("public", document.public) != document.public:
            return True
        return "acl" in said

    def _check_found(self, user: ModelUser, reply: Reply, tags: tuple[str, ...]) -> None:
        assert reply.status == 200, reply.body
        self._check(user, reply)
        expected = self.model.findable(user, tags)
        assert {result["document_id"] for result in reply.body["results"]} == expected
        assert reply.body["total_results"] == len(expected)

    def _check(self, user: ModelUser, reply: Reply, asked_for: str = "") -> None:
        self._check_text(user, json.dumps([reply.body, dict(reply.headers)]), asked_for)

    def _check_text(self, user: ModelUser, text: str, asked_for: str) -> None:
        leaked = [word for word in self.model.hidden_from(user) if word in text and word != asked_for]
        assert leaked == [], f"{user} sees {leaked}"

    def _download(self, caller: Caller, path: str, document_id: str) -> tuple[int, bytes]:
        route = next(route for route in CONTRACT.downloads if route.path == path)
        request = Request(path={"id": document_id}, headers={"authorization": f"Bearer {caller.key}"})
        services = self.world.container
        try:
            return 200, b"".join(route.open(authenticated(request, services), services).pieces)
        except KnowledgeBaseError as error:
            return CONTRACT.status_of(error), str(error).encode()

    def _ingestion(self, caller: Caller, document_id: str) -> Reply:
        route = next(route for route in PLATFORM.routes if route.path == "/ingestions/{document_id}")
        headers = {"authorization": f"Bearer {caller.key}"}
        return handle(PLATFORM, route, Request({"document_id": document_id}, {}, headers), self.world.container)

    def _caller(self, user: ModelUser) -> Caller:
        return Caller(self.world, user.user_id, *sorted(user.roles), tenant=user.tenant)

    def _somebody(self) -> tuple[ModelUser, Caller]:
        place = self.chance.randrange(len(self.users))
        return self.users[place], self.callers[place]

    def _some_document(self) -> str:
        gone = [document.document_id for document in self.model.removed[-2:]]
        return self.chance.choice([*self.model.documents, *gone, "no-such-document"])

    def _secret(self) -> str:
        self.made += 1
        return f"secret{self.made:04d}word"

    def _rights(self) -> dict[str, Any]:
        names = self.chance.sample(NAMES, self.chance.randrange(4))
        acl = {name: list(self.chance.choice(ALLOWED)) for name in names}
        return self.chance.choice([{"acl": acl}, {"acl": None}, {"public": self.chance.random() < 0.5}])

    def _tags(self) -> frozenset[str]:
        return frozenset(self.chance.sample(TAGS, self.chance.randrange(3)))

    def _set_rights(self, document: ModelDocument, said: Mapping[str, Any]) -> None:
        if "acl" in said:
            document.acl = {name: frozenset(actions) for name, actions in (said["acl"] or {}).items()}
        document.public = said.get("public", document.public)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_ever_sees_or_does_more_or_less_than_the_reference_says(world: World, seed: int) -> None:
    play = Play(world, seed)
    for _ in range(STEPS):
        play.step()
    assert len(play.model.removed) > 0 and play.made > 5, "the run was no test"
