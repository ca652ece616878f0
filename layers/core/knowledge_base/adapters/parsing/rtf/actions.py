"""What the control words of RTF change in the text that follows."""

from __future__ import annotations

from knowledge_base.adapters.parsing.field_codes import END
from knowledge_base.adapters.parsing.rtf.scene import Action, Scene
from knowledge_base.adapters.parsing.rtf.state import Look

_LONGEST_FALLBACK = 16


def _set_fallback_length(scene: Scene, number: int | None) -> None:
    scene.own().fallback_length = max(0, min(1 if number is None else number, _LONGEST_FALLBACK))


def _set_font(scene: Scene, number: int | None) -> None:
    scene.own().font = number or 0


def _set_bold(scene: Scene, number: int | None) -> None:
    scene.own().is_bold = number != 0


def _set_unseen(scene: Scene, number: int | None) -> None:
    scene.own().is_unseen = number != 0


def _set_deleted(scene: Scene, number: int | None) -> None:
    scene.own().is_deleted = number != 0


def _reset_characters(scene: Scene, _number: int | None) -> None:
    state = scene.own()
    state.is_unseen = state.is_deleted = state.is_bold = False
    state.font = -1


def _reset_paragraph(scene: Scene, _number: int | None) -> None:
    scene.look = Look()


def _set_style(scene: Scene, number: int | None) -> None:
    scene.look.style = number or 0


def _set_outline(scene: Scene, number: int | None) -> None:
    scene.look.outline = -1 if number is None else number


def _set_list_level(scene: Scene, number: int | None) -> None:
    scene.look.list_level = number or 0


def _mark_in_table(scene: Scene, _number: int | None) -> None:
    scene.look.in_table = True


def _mark_item(scene: Scene, _number: int | None) -> None:
    scene.look.is_item = True


def _mark_alternative(scene: Scene, _number: int | None) -> None:
    scene.own().in_alternative = True


def _end_inner_cell(scene: Scene, _number: int | None) -> None:
    scene.sink.end_paragraph(Look(in_table=True), 0)


def _begin_field(scene: Scene, _number: int | None) -> None:
    scene.own().closing = END


ACTIONS: dict[bytes, Action] = {
    b"uc": _set_fallback_length,
    b"f": _set_font,
    b"b": _set_bold,
    b"v": _set_unseen,
    b"deleted": _set_deleted,
    b"plain": _reset_characters,
    b"pard": _reset_paragraph,
    b"s": _set_style,
    b"outlinelevel": _set_outline,
    b"ilvl": _set_list_level,
    b"intbl": _mark_in_table,
    b"trowd": lambda scene, _number: scene.sink.begin_row(),
    b"trhdr": lambda scene, _number: scene.sink.mark_header(),
    b"clvmrg": lambda scene, _number: scene.sink.mark_merge(),
    b"trleft": lambda scene, number: scene.sink.set_left_edge(number or 0),
    b"cellx": lambda scene, number: scene.sink.define_cell(number or 0),
    b"cell": lambda scene, _number: scene.sink.end_cell(),
    b"row": lambda scene, _number: scene.sink.end_row(),
    b"nestcell": _end_inner_cell,
    b"upr": _mark_alternative,
    b"listtext": _mark_item,
    b"pntext": _mark_item,
    b"field": _begin_field,
}
