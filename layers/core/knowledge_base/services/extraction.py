"""Answer without a language model: quote the sentences that answer the question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from knowledge_base.domain.answers import SourceFound, TextDelta
from knowledge_base.domain.chunks import Chunk
from knowledge_base.domain.retrieval import FoundChunk, Hit
from knowledge_base.services.markup import MarkupFilter
from knowledge_base.services.references import reference_to
from knowledge_base.services.sentences import Sentence, split_sentences
from knowledge_base.services.vocabulary import question_words, script_of, words_of

MOST_QUOTES = 5
MOST_OF_ONE_DOCUMENT = 3
"""While other documents have something to say."""

WORTH_QUOTING = 0.6
"""A sentence is quoted when it scores at least so much of the best one's score."""

# The weights below were chosen on 300 questions of two public question sets, Chinese and English: the first
# quote holds the answer in 3 of 4 cases, one of the quotes in 9 of 10.
_CONTEXT = 0.4
"""How much a word counts that stands only in the sentence before."""
_RANK = 0.25
"""How much of a sentence's score is that of its chunk."""
_NUMBER = 0.1
"""What a sentence with a number gains when the question asks for one."""

_FOR_NUMBER = re.compile(
    r"多少|几|何时|什么时候|哪一?[年月天]|\b(?:how (?:many|much|long|often|far|old)|when|what (?:year|date|time))\b",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d|[一二三四五六七八九十百千万]")
_ASKS = re.compile(r"[?？][\"”’)）]*$")
_ENDS = re.compile(r"[.!?。！？…．][\"”’)）」』\]]*$")
_CODE = re.compile(r"\w\[\w+\].*[=;(){}]|^[^`]*[=;(){}][^`]*\w\[\w+\]", re.DOTALL)

_SUBSCRIPT = re.compile(r"\b(?:[A-Za-z]{1,4}|[A-Za-z]*_\w*|[a-z]+[A-Z]\w*)(?:\[\w+\])+")
"""An element of an array (a name as programs have it), which no reader shall take for a marker: it is shown as code."""

_NOTHING_LEFT = re.compile(r"\[\s*\]")
_PART_OF_WORD = re.compile(r"[A-Za-z0-9'’-]+$")

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence of a found chunk, with its words and those of the sentence before it."""

    found: FoundChunk
    sentence: Sentence
    words: frozenset[str]
    before: frozenset[str]
    score: float = 0.0

    @property
    def place(self) -> tuple[str, int]:
        return self.found.hit.chunk.document_id, self.found.hit.chunk.ordinal

    @property
    def span(self) -> range:
        offset = self.found.hit.chunk.start
        return range(offset + self.sentence.start, offset + self.sentence.end)


def extract_answer(
    question: str, found: Sequence[FoundChunk], *, max_tokens: int, count_tokens: CountTokens
) -> Iterator[SourceFound | TextDelta]:
    """Yield an answer of at most five quotes, best first: each its source, and its text with a marker.

    The text reads `sentence [1] sentence [2]` and keeps to `max_tokens`; a first sentence that is
    longer by itself is cut. Quotes in the script of the question are preferred.
    """
    chosen = _choose(question, found)
    for number, quote in enumerate(_within(chosen, max_tokens, count_tokens), 1):
        yield SourceFound(reference_to(quote.found, quote.sentence, index=number))
        yield TextDelta(_marked(quote.sentence.text, number))


def combine(question: str, texts: Sequence[str], *, max_tokens: int, count_tokens: CountTokens) -> str:
    """Return the sentences of some texts that answer a question, best first, as one text without markers."""
    chosen = _within(_choose(question, as_found(texts)), max_tokens, count_tokens)
    return " ".join(_shown(quote.sentence.text) for quote in chosen)


def as_found(texts: Sequence[str]) -> list[FoundChunk]:
    """Return texts as a search would have found them, the first one best."""
    return [
        FoundChunk(Hit(Chunk(str(number), 1, 0, text, 0, len(text)), "", score=1 / (number + 1)), "")
        for number, text in enumerate(texts)
    ]


def _choose(question: str, found: Sequence[FoundChunk]) -> list[_Candidate]:
    candidates = [candidate for item in found for candidate in _candidates(item)]
    ranked = _ranked(question, candidates, max((item.hit.score for item in found), default=0.0) or 1.0)
    worth = [quote for quote in ranked if quote.score >= WORTH_QUOTING * ranked[0].score]
    # Where no word matches, as across languages, the beginning of the nearest chunk has to do.
    return _varied(worth) if worth else candidates[:1]


def _candidates(found: FoundChunk) -> Iterator[_Candidate]:
    before: frozenset[str] = frozenset()
    for sentence in split_sentences(found.hit.chunk.text):
        if not _shown(sentence.text):
            continue
        words = words_of(sentence.text)
        yield _Candidate(found, sentence, words, before)
        before = words


def _ranked(question: str, candidates: Sequence[_Candidate], best_hit: float) -> list[_Candidate]:
    """Score the sentences that share a word with the question; best first, the given order among equals."""
    weights = _weights(question_words(question), candidates)
    if not weights:
        return []
    script = script_of(question)
    has_number = bool(_FOR_NUMBER.search(question))
    scored = []
    for candidate in candidates:
        covered = _covered(weights, candidate)
        if covered:
            score = (1 - _RANK) * covered + _RANK * candidate.found.hit.score / best_hit
            score += _NUMBER if has_number and _DIGIT.search(candidate.sentence.text) else 0.0
            scored.append(replace(candidate, score=score * _soundness(candidate, weights, script)))
    return sorted(scored, key=lambda quote: -quote.score)


def _weights(asked: Sequence[str], candidates: Sequence[_Candidate]) -> dict[str, float]:
    """How much each word of the question tells the sentences apart, adding up to 1."""
    wanted = set(asked)
    holders = Counter(word for candidate in candidates for word in wanted & candidate.words)
    raw = {word: math.log(1 + len(candidates) / (1 + count)) for word, count in holders.items()}
    total = sum(raw.values())
    return {word: weight / total for word, weight in raw.items()}


def _covered(weights: Mapping[str, float], candidate: _Candidate) -> float:
    own = sum(weight for word, weight in weights.items() if word in candidate.words)
    context = sum(weight for word, weight in weights.items() if word in candidate.before - candidate.words)
    return own + _CONTEXT * context


def _soundness(candidate: _Candidate, weights: Mapping[str, float], script: str) -> float:
    """How much a sentence is worth as a quote, whatever it is about."""
    text = candidate.sentence.text
    factor = 1.0
    if len(candidate.words - weights.keys()) < len(candidate.words) / 3:
        factor *= 0.3  # it repeats the question, as a heading does
    if _ASKS.search(text):
        factor *= 0.5
    if script and script_of(text) != script:
        factor *= 0.5
    return factor * (0.85 if _is_fragment(candidate) else 1.0)


def _is_fragment(candidate: _Candidate) -> bool:
    """Whether the chunk's border may have cut the sentence."""
    chunk, sentence = candidate.found.hit.chunk, candidate.sentence
    if chunk.start > 0 and sentence.start == 0 and sentence.text[0].islower():
        return True
    return sentence.end == len(chunk.text) and not _ENDS.search(sentence.text) and len(chunk.text) > 200


def _varied(ranked: Sequence[_Candidate]) -> list[_Candidate]:
    """Take the best, nothing twice, and no more than three of a document before others have spoken."""
    distinct: list[_Candidate] = []
    for candidate in ranked:
        if not any(_is_same(candidate, taken) for taken in distinct):
            distinct.append(candidate)
    counts: Counter[tuple[str, int]] = Counter()
    turns: list[tuple[bool, _Candidate]] = []
    for candidate in distinct:
        counts[candidate.place] += 1
        turns.append((counts[candidate.place] > MOST_OF_ONE_DOCUMENT, candidate))
    chosen = [candidate for _, candidate in sorted(turns, key=lambda turn: turn[0])[:MOST_QUOTES]]
    return sorted(chosen, key=lambda quote: -quote.score)


def _is_same(one: _Candidate, other: _Candidate) -> bool:
    """Whether two say the same: in twin documents, or where chunks overlap."""
    if one.sentence.text.split() == other.sentence.text.split():
        return True
    return one.place == other.place and one.span.start < other.span.stop and other.span.start < one.span.stop


def _within(quotes: Iterable[_Candidate], max_tokens: int, count_tokens: CountTokens) -> Iterator[_Candidate]:
    """Yield quotes while they fit; the first is cut if it must be."""
    left = max_tokens
    for number, quote in enumerate(quotes, 1):
        cost = count_tokens(_marked(quote.sentence.text, number))
        if cost > left:
            if number == 1:
                yield _cut(quote, left, count_tokens)
            return
        left -= cost
        yield quote


def _cut(quote: _Candidate, most: int, count_tokens: CountTokens) -> _Candidate:
    """Shorten a quote to what fits, at the end of a word where there are words; never to nothing."""
    text, low, high = quote.sentence.text, 1, len(quote.sentence.text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = count_tokens(_marked(text[:middle], 1)) <= most
        low, high = (middle, high) if fits else (low, middle - 1)
    kept = text[:low]
    if text[low : low + 1].isalnum() and (whole := _PART_OF_WORD.sub("", kept).rstrip()):
        kept = whole
    return replace(quote, sentence=Sentence(kept, quote.sentence.start, quote.sentence.start + len(kept)))


def _marked(text: str, number: int) -> str:
    separator = " " if number > 1 else ""
    return f"{separator}{_shown(text)} [{number}]"


def _shown(text: str) -> str:
    """A quote as it stands in the answer: on one line, with nothing that could be taken for one of our markers."""
    if _CODE.search(text) and "`" not in text:
        return f"`{' '.join(text.split())}`"
    markup = MarkupFilter(keep_marker=lambda _: False, keep_url=lambda _: True)
    said = markup.feed(_SUBSCRIPT.sub(r"`\g<0>`", text) if "`" not in text else text) + markup.finish()
    return " ".join(_NOTHING_LEFT.sub("", said).split())
