from __future__ import annotations

import socket
import threading
import time
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from infra.local.embedder import Callers, FairModel


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


def test_a_request_is_done_before_one_that_came_later_begins() -> None:
    model = SlowModel()
    fair = FairModel(model)
    callers = []
    for name in "abc":
        callers.append(threading.Thread(target=fair.encode, args=([f"{name}{i}" for i in range(4)], False)))
        callers[-1].start()
        time.sleep(0.005)
    for caller in callers:
        caller.join()
    assert model.given == [f"{name}{i}" for name in "abc" for i in range(4)]


def test_a_short_document_passes_long_ones_that_wait() -> None:
    model = SlowModel()
    fair = FairModel(model)
    long = [threading.Thread(target=fair.encode, args=([f"long {i}"] * 10, False)) for i in range(3)]
    for caller in long:
        caller.start()
    time.sleep(0.03)
    fair.encode(["short"], False)
    assert model.given.index("short") <= 12
    for caller in long:
        caller.join()


def test_nothing_is_computed_for_who_has_hung_up() -> None:
    here, there = socket.socketpair()
    callers, model = Callers(), SlowModel()
    fair = FairModel(model, callers.is_gone)
    callers.serve(here)
    fair.encode(["heard"], False)
    there.send(b"more")
    fair.encode(["still there"], False)
    here.recv(4)
    there.close()
    with pytest.raises(ConnectionAbortedError):
        fair.encode(["gone"], False)
    assert model.given == ["heard", "still there"]
    here.close()
