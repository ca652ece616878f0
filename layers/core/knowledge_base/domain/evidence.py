"""How near to a question a passage must be to count as evidence. Each embedding model has cosines of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

MIXED = "MIXED"
"""In place of a script: the question and the passage are in different ones, so they share no words."""
OTHERWISE = "*"
"""In place of a script: every one that is not named."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """The cosine that is asked of a passage: `worded` if it holds every word of the question, `wordless` if none."""

    worded: float
    wordless: float

    def asked_of(self, coverage: float) -> float:
        """Return the cosine that is asked of a passage which holds this share of the question's words."""
        return self.wordless - coverage * (self.wordless - self.worded)


EVERYTHING = Nearness(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class EvidenceRule:
    """What is asked of a passage, by script; a model that nobody measured asks nothing.

    Unrelated texts are nearer to each other in one script than in another: under multilingual models two
    Chinese texts are, whatever they say, and two texts in different scripts are the least near.
    """

    by_script: Mapping[str, Nearness] = field(default_factory=dict)

    def nearness(self, question: str, passage: str) -> Nearness:
        """Return what is asked of a passage in one script for a question in another, or in the same.

        A passage without letters, an empty script, is measured as if it were in the script of the question.
        """
        script = question if passage in ("", question) else MIXED
        return self.by_script.get(script) or self.by_script.get(OTHERWISE, EVERYTHING)
