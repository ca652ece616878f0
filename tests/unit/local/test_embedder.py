from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from infra.local.embedder import FairModel


class SlowModel:
    """Takes a while for a text, and remembers what it was given; fails the test if two come at a time."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self._is_busy = threading.Lock()

    def encode(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]:
        assert self._is_busy.acquire(blocking=False)
        self.given += texts
        time.sleep(0.02)
        self._is_busy.release()
        return np.array([[len(text), is_query] for text in texts], dtype=np.float32)

    def token_count(self, text: str, is_query: bool) -> int:
        return len(text) + is_query


def test_vectors_come_in_the_order_of_the_texts() -> None:
    vectors = FairModel(SlowModel()).encode(["a", "bbb", "cc"], False)

    assert vectors.tolist() == [[1, 0], [3, 0], [2, 0]]


def test_question_does_not_wait_for_a_batch_of_passages() -> None:
    model = SlowModel()
    fair = FairModel(model)
    batches = [
        threading.Thread(target=fair.encode, args=([f"passage {i}" for i in range(20)], False)) for _ in range(2)
    ]
    for batch in batches:
        batch.start()
    time.sleep(0.05)

    fair.encode(["question"], True)

    assert model.given.index("question") < 10
    for batch in batches:
        batch.join()
    assert len(model.given) == 41


def test_failing_text_does_not_keep_others_out() -> None:
    class Failing(SlowModel):
        def encode(self, texts: Sequence[str], is_query: bool) -> NDArray[np.float32]:
            if texts == ["bad"]:
                raise RuntimeError
            return super().encode(texts, is_query)

    fair = FairModel(Failing())
    threading.Thread(target=lambda: _ignore_failure(fair), daemon=True).start()
    time.sleep(0.05)

    assert fair.encode(["good"], True).shape == (1, 2)


def _ignore_failure(fair: FairModel) -> None:
    try:
        fair.encode(["bad"], True)
    except RuntimeError:
        return
