"""Tell whether the parts that every request needs do answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor


class Health:
    """Runs one check a part."""

    def __init__(self, checks: Mapping[str, Callable[[], object]]) -> None:
        self._checks = checks

    def parts(self) -> dict[str, bool]:
        """Return which parts answer, by name; they are asked at the same time."""
        with ThreadPoolExecutor(max_workers=max(1, len(self._checks))) as pool:
            return dict(zip(self._checks, pool.map(_answers, self._checks.values()), strict=True))


def _answers(check: Callable[[], object]) -> bool:
    try:
        check()
    except Exception:  # noqa: BLE001 - whatever it is, the part does not answer
        return False
    return True
