"""Fields of word processors: what they show stays, the codes that say how it comes about go.

A field stands in a text as begin, code, separator, result, end. Word writes some fields without a result, since it
makes them up from their code each time: formulas and ruby (`EQ`), symbols, buttons ([MS-OE376], ECMA-376 17.16.5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from knowledge_base.adapters.parsing.symbol_fonts import from_symbol_font

BEGIN, SEPARATOR, END = "\x13", "\x14", "\x15"
CHECKED, UNCHECKED = "☒", "☐"
"""What a check box shows."""
CODE_BEGIN, CODE_END = "\x11", "\x12"
"""What encloses a code that is known to be one, wherever its field begins and ends."""
_MARKS = re.compile(f"[{BEGIN}{SEPARATOR}{END}]")
_CODES = re.compile(f"{CODE_BEGIN}[^{CODE_END}]*{CODE_END}|[{BEGIN}{SEPARATOR}{END}]")
_VALUE = re.compile(f"{CODE_BEGIN}=([^{CODE_END}]*){CODE_END}")
_BUTTON = re.compile(r"(?:MACROBUTTON|GOTOBUTTON)\s+\S+\s+(.*)", re.I | re.S)
_QUOTE = re.compile(r'QUOTE\s+"([^"]*)"', re.I)
_SYMBOL = re.compile(r'SYMBOL\s+(0x[0-9a-f]+|\d+)(?:.*?\\f\s+"?([^"\\]+))?', re.I | re.S)
_FORMULA = re.compile(r"EQ\s+(.*)", re.I | re.S)
_EQUATION_TOKEN = re.compile(
    r'\\\*\s*(?:"[^"]*"|\S+)|\\([a-z]{1,2})(?:\s*\d+)?|\\(.)|([(,;)])|([^\\(,;)]+)', re.I | re.S
)
_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class Hidden:
    """Characters `[start, end)` that do not show, and what shows in their place."""

    start: int
    end: int
    shown: str = ""


def form_value(value: str) -> str:
    """Return the code that makes a field without a result show a value, as forms do."""
    return f"{CODE_BEGIN}={value}{CODE_END}"


def shown_text(text: str) -> str:
    """Return a text with its fields' results, without their codes."""
    if not any(mark in text for mark in (BEGIN, SEPARATOR, END, CODE_BEGIN)):
        return text
    pieces, last = [], 0
    for hidden in hidden_parts(text):
        if hidden.end > last:
            pieces += [text[last : hidden.start], hidden.shown]
            last = hidden.end
    return _CODES.sub("", "".join((*pieces, text[last:])))


def hidden_parts(text: str) -> list[Hidden]:
    """Return what does not show of the fields that end in a text, in order; the outer one of two is the first."""
    return sorted(_hidden_parts(text), key=lambda hidden: (hidden.start, -hidden.end))


def _hidden_parts(text: str) -> Iterator[Hidden]:
    open_fields: list[tuple[int, int]] = []
    for match in _MARKS.finditer(text):
        if match[0] == BEGIN:
            open_fields.append((match.start(), -1))
        elif open_fields and match[0] == SEPARATOR:
            start, separator = open_fields.pop()
            open_fields.append((start, match.start() if separator < 0 else separator))
        elif match[0] == END:
            start, separator = open_fields.pop() if open_fields else (-1, -1)
            yield from _hidden_of(text, start, separator, match.start())
    for start, separator in open_fields:
        if separator >= 0:
            yield Hidden(start, separator + 1)


def _hidden_of(text: str, start: int, separator: int, end: int) -> Iterator[Hidden]:
    if start < 0:
        yield Hidden(end, end + 1)
    elif separator < 0 or not text[separator + 1 : end].strip():
        yield Hidden(start, end + 1, _shown_by(text[start + 1 : separator if separator >= 0 else end]))
    else:
        yield Hidden(start, separator + 1)
        yield Hidden(end, end + 1)


def _shown_by(code: str) -> str:
    """Return what a field without a result shows."""
    value = _VALUE.search(code)
    if value:
        return f"{value[1]} "
    code = re.sub(f"[{CODE_BEGIN}{CODE_END}]", "", code).strip()
    if match := _FORMULA.match(code):
        return _equation(match[1])
    if match := _SYMBOL.match(code):
        return _symbol(match[1], match[2] or "")
    match = _BUTTON.match(code) or _QUOTE.match(code)
    return match[1].strip() if match else ""


def _symbol(number: str, font: str) -> str:
    code = int(number, 16 if number[:2].lower() == "0x" else 10)
    return from_symbol_font(f"{code + 0xF000 if font and code <= 0xFF else code:X}", font)


@dataclass(slots=True)
class _Switch:
    """An open switch of a formula, such as a fraction, with its arguments so far."""

    name: str
    arguments: list[str]


def _equation(code: str) -> str:
    """Return a formula in one line: a fraction as `a/b`, overlaid characters as the last of them."""
    open_switches = [_Switch("", [""])]
    name = ""
    for match in _EQUATION_TOKEN.finditer(code):
        if match[1]:
            name = name or match[1].lower()
        elif match[3] == "(" and len(open_switches) < _DEEPEST:
            open_switches.append(_Switch(name, [""]))
            name = ""
        elif match[3] == ")" and len(open_switches) > 1:
            shown = _shown_switch(open_switches.pop())
            open_switches[-1].arguments[-1] += shown
        elif match[3] in (",", ";") and len(open_switches) > 1:
            open_switches[-1].arguments.append("")
        else:
            open_switches[-1].arguments[-1] += match[2] or match[3] or (match[4] or "").strip()
    return "".join("".join(switch.arguments) for switch in open_switches)


def _shown_switch(switch: _Switch) -> str:
    arguments = [argument.strip() for argument in switch.arguments]
    if switch.name == "f":
        return "/".join(arguments)
    if switch.name == "o":
        return arguments[-1]
    if switch.name == "r":
        return f"√({arguments[-1]})"
    return f"({', '.join(arguments)})" if switch.name in ("", "b") else " ".join(arguments)
