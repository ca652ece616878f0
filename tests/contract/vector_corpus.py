"""Made-up documents and questions for comparing indexes: always the same ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

from knowledge_base.domain.chunks import IndexedChunk
from tests.builders import an_indexed_chunk

_SYLLABLES = "ka ro mi ten lus for dar vel nos pri sha gun tol ber".split()  # noqa: SIM905
_HAN = "水泵锅炉温度压力阀门启动停止检查记录操作规程安全系统数据模型训练设备维护"
_FILLERS = ("the", "of", "and", "in", "is")
_OTHER = (
    "サーバー",
    "再起動",
    "서울특별시",
    "насос",
    "المضخة",
    "ΑΝΤΛΙΑ",
    "GPU显卡",
    "café",
    "ＡＢＣ",
    "v4.2-beta_3",
    "don't",
    "getUserName",
    "HTTPServerFactory",
    "sha256Hash",
    "PDFs",
    "TK6100A",
    "naïveBayes",
)


class Corpus:
    """Draws words as languages do, the first of a list far more often than the last."""

    def __init__(self, seed: int, dimensions: int) -> None:
        self._random = random.Random(seed)
        self._dimensions = dimensions
        self._words = ["".join(self._random.choices(_SYLLABLES, k=1 + number % 4)) for number in range(400)]
        self._centres = [self._gauss(1.0) for _ in range(12)]

    def chunks(self, number: int) -> list[IndexedChunk]:
        """Return documents of five chunks, each with its vector near one of a dozen centres."""
        return [
            an_indexed_chunk(
                self.text(self._random.randint(3, 120)),
                self.vector(),
                document_id=f"doc-{place // 5}",
                index=place % 5,
                readers=frozenset({f"role:{place % 3}"}),
            )
            for place in range(number)
        ]

    def text(self, length: int) -> str:
        return " ".join(self._word() for _ in range(length))

    def vector(self) -> list[float]:
        centre = self._random.choice(self._centres)
        return [a + b for a, b in zip(centre, self._gauss(0.6), strict=True)]

    def _word(self) -> str:
        kind = self._random.random()
        if kind < 0.2:
            return self._random.choice(_FILLERS)
        if kind < 0.4:
            return "".join(self._random.choices(_HAN, k=self._random.randint(1, 12))) + "，"
        if kind < 0.45:
            return self._random.choice(_OTHER)
        return self._words[int(len(self._words) * self._random.random() ** 3)]

    def _gauss(self, width: float) -> list[float]:
        return [self._random.gauss(0, width) for _ in range(self._dimensions)]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    product = sum(x * y for x, y in zip(a, b, strict=True))
    return product / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
