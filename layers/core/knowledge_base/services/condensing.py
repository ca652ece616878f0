"""Make a question of a conversation stand by itself, so that a search understands it.

`And in winter?` finds nothing; what it means stands in the turns before. With a chat model the question is
rewritten; without one, or when the model does not answer, the words of the question before are put in front.
"""

from __future__ import annotations

import logging
import re

from knowledge_base.domain.answers import Message, Question
from knowledge_base.domain.errors import ChatUnavailable
from knowledge_base.ports.models import ChatMessage, ChatModel
from knowledge_base.services.vocabulary import question_words, script_of

logger = logging.getLogger(__name__)

TURNS = 6
"""How many earlier messages are looked at."""
LONGEST = 1_000
"""Characters of a rewritten question, and of each earlier message that the model is shown."""
MAX_TOKENS = 200

_FEW_WORDS = {"HAN": 4, "KANA": 4, "HANGUL": 4}
"""A question of so few words (pairs of characters, where there are no spaces) may rest on those before."""
_FEW = 2

_POINTS_BACK = re.compile(
    r"它|他们|她们|这[个些里种样]|那[个些里种样]|上述|前[者面]|后者|其[中他余]?|此|该|^\s*(?:那么?|还有|另外|然后|而且|如果)|呢\s*[?？]?\s*$|"
    r"\b(?:it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|one|ones|such|same|former|latter)\b|"
    r"^\s*(?:and|but|or|so|also|then|what about|how about|what if|why not|why\s*\?)",
    re.IGNORECASE,
)

_RULES = """\
Rewrite the last question so that it can be understood without the conversation: put names in place of words like \
"it" and "那个". Keep its language and its meaning, add nothing, answer nothing. Reply with the question alone. \
If it can be understood as it is, repeat it."""


class Condensing:
    """Condenses conversations into questions."""

    def __init__(self, chat: ChatModel | None) -> None:
        self._chat = chat

    def stand_alone(self, question: Question) -> str:
        """Return what to search for: the last user message, or what it means in its conversation."""
        earlier = [turn for turn in question.messages[:-1] if turn.content.strip()][-TURNS:]
        asked_before = [turn.content for turn in earlier if turn.role == "user"]
        if not asked_before or not _rests_on_others(question.text):
            return question.text
        return self._rewritten(question, earlier) or f"{asked_before[-1][-LONGEST:]}\n{question.text}"

    def _rewritten(self, question: Question, earlier: list[Message]) -> str:
        """Return the model's words, empty when it does not answer or says too much."""
        if self._chat is None:
            return ""
        turns = "\n".join(f"{turn.role}: {turn.content[:LONGEST]}" for turn in earlier)
        messages = [
            ChatMessage("system", _RULES),
            ChatMessage("user", f"<conversation>\n{turns}\n</conversation>\n\nLast question: {question.text}"),
        ]
        try:
            pieces = self._chat.stream(messages, max_tokens=MAX_TOKENS, temperature=0, model=question.model)
            said = "".join(pieces).strip()
        except ChatUnavailable:
            logger.info("the chat model did not condense a question: the one before stands in front of it")
            return ""
        return said if 0 < len(said) <= LONGEST else ""


def _rests_on_others(text: str) -> bool:
    """Tell whether a question points back, or says too little by itself."""
    few = _FEW_WORDS.get(script_of(text), _FEW)
    return bool(_POINTS_BACK.search(text)) or len(question_words(text)) <= few
