"""Numbers of list items, written as word processors write them."""

from __future__ import annotations

from collections.abc import Callable

BULLET = "•"
LARGEST = 32_767
_DIGITS = "〇一二三四五六七八九"
_LEGAL_DIGITS = "零壹贰叁肆伍陆柒捌玖"
_STEMS, _BRANCHES = "甲乙丙丁戊己庚辛壬癸", "子丑寅卯辰巳午未申酉戌亥"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"))
_ROMAN_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_DEEPEST = 9


def item_text(label: str, text: str, level: int) -> str:
    """Return a list item behind its number or bullet, indented by its level from 0; empty without a text."""
    return f"{indent(level)}{label} {text}".rstrip() if label and text else f"{indent(level)}{text}" if text else ""


def indent(level: int) -> str:
    """Return the spaces before a list item of a level from 0."""
    return "  " * max(0, min(level, _DEEPEST))


def format_number(number: int, form: str) -> str:
    """Return a list number as Word writes it in one of its number formats; unknown formats are decimal."""
    write = _FORMS.get(form)
    return write(number) if write and 0 < number <= LARGEST else str(number)


def _letters(number: int) -> str:
    """Word goes on after z with aa, bb, cc."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)


def _roman(number: int) -> str:
    written = ""
    for value, sign in _ROMAN:
        written += sign * (number // value)
        number %= value
    return written + _ROMAN_ONES[number]


def _chinese(number: int) -> str:
    if number >= 1000:
        return "".join(_DIGITS[int(digit)] for digit in str(number))
    hundreds, tens, ones = number // 100, number // 10 % 10, number % 10
    written = f"{_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        written += "十" if tens == 1 and not hundreds else f"{_DIGITS[tens]}十"
    elif hundreds and ones:
        written += "零"
    return written + (_DIGITS[ones] if ones else "")


def _legal_chinese(number: int) -> str:
    plain = _chinese(number)
    plain = f"一{plain}" if plain.startswith("十") else plain
    return plain.translate(str.maketrans(f"{_DIGITS}十百", f"{_LEGAL_DIGITS}拾佰"))


def _out_of(signs: str) -> Callable[[int], str]:
    """Return a numbering by a row of signs, which begins anew behind the last one."""
    return lambda number: signs[(number - 1) % len(signs)]


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _circled(number: int) -> str:
    return chr(0x2460 + number - 1) if number <= 20 else str(number)


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "decimalZero": lambda number: f"{number:02d}",
    "ordinal": _ordinal,
    "numberInDash": lambda number: f"- {number} -",
    "russianLower": _out_of(_RUSSIAN),
    "russianUpper": _out_of(_RUSSIAN.upper()),
    "ideographTraditional": _out_of(_STEMS),
    "ideographZodiac": _out_of(_BRANCHES),
    "chineseLegalSimplified": _legal_chinese,
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "decimalFullWidth": lambda number: str(number).translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)}),
    **dict.fromkeys(
        (
            "chineseCounting",
            "chineseCountingThousand",
            "ideographDigital",
            "japaneseCounting",
            "japaneseDigitalTenThousand",
            "taiwaneseCounting",
            "taiwaneseCountingThousand",
            "koreanCounting",
        ),
        _chinese,
    ),
}
