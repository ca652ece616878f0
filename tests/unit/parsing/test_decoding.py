"""Text files in the encodings that people have."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge_base.adapters.parsing.canonical_text import clean
from knowledge_base.adapters.parsing.encodings.decoding import decode
from knowledge_base.adapters.parsing.library import LibraryDocumentParser

SENTENCES = {
    "german": "Der Wärmepumpe fehlt Öl; prüfen Sie täglich den Füllstand und schließen Sie danach die Tür.",
    "french": "Le compresseur a été arrêté à cause d'une fuite détectée près de la chaudière du théâtre.",
    "spanish": "La presión del depósito bajó anoche; mañana vendrá el técnico para revisar la instalación.",
    "portuguese": "A manutenção não foi concluída; os técnicos voltarão amanhã de manhã com as peças.",
    "polish": "Ciśnienie wody spadło poniżej normy, dlatego urządzenie wyłączyło się w środku nocy.",
    "czech": "Tlak vody klesl příliš nízko, proto se zařízení v noci samo vypnulo a čeká na údržbu.",
    "hungarian": "A víznyomás túl alacsony volt, ezért a készülék éjjel leállt, és a szerelőre vár.",
    "turkish": "Su basıncı çok düştüğü için cihaz gece yarısı kendiliğinden kapandı ve şimdi bekliyor.",
    "russian": "Давление воды упало слишком низко, поэтому насос ночью отключился и ждёт мастера.",
    "ukrainian": "Тиск води впав занадто низько, тому вночі насос вимкнувся і чекає на майстра. Її вже їдуть чинити.",
    "greek": "Η πίεση του νερού έπεσε πολύ χαμηλά και γι' αυτό η αντλία σταμάτησε μέσα στη νύχτα.",
    "hebrew": "לחץ המים ירד מאוד ולכן המשאבה כבתה בלילה והיא מחכה לטכנאי שיגיע בבוקר.",
    "arabic": "انخفض ضغط الماء كثيرا ولذلك توقفت المضخة ليلا وهي تنتظر وصول الفني في الصباح.",
    "thai": "แรงดันน้ำต่ำเกินไป ปั๊มจึงหยุดทำงานเองในตอนกลางคืนและรอช่างมาซ่อม",
    "simplified": "水压过低，热泵在夜间自动停机，请值班人员检查阀门，并在记录本上写明时间和原因。",
    "traditional": "水壓過低，熱泵在夜間自動停機，請值班人員檢查閥門，並在記錄本上寫明時間和原因。",
    "japanese": "水圧が低すぎたため、ヒートポンプは夜中に自動で停止しました。担当者は弁を点検してください。",
    "korean": "수압이 너무 낮아서 열펌프가 밤에 저절로 멈추었습니다. 담당자는 밸브를 확인해 주십시오.",
}
ENCODINGS = {
    "german": ["cp1252", "latin-1", "iso8859-15"],
    "french": ["cp1252", "latin-1"],
    "spanish": ["cp1252", "latin-1"],
    "portuguese": ["cp1252", "latin-1"],
    "polish": ["cp1250", "iso8859-2"],
    "czech": ["cp1250", "iso8859-2"],
    "hungarian": ["cp1250"],
    "turkish": ["cp1254", "iso8859-9"],
    "russian": ["cp1251", "koi8-r", "iso8859-5", "cp866"],
    "ukrainian": ["cp1251", "koi8-u"],
    "greek": ["cp1253", "iso8859-7"],
    "hebrew": ["cp1255", "iso8859-8"],
    "arabic": ["cp1256", "iso8859-6"],
    "thai": ["cp874"],
    "simplified": ["gb18030", "gbk", "gb2312"],
    "traditional": ["big5", "cp950"],
    "japanese": ["shift-jis", "cp932", "euc-jp", "iso2022-jp"],
    "korean": ["euc-kr", "cp949"],
}
LEGACY = [(language, encoding) for language, encodings in ENCODINGS.items() for encoding in encodings]
UNICODE = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]


@pytest.mark.parametrize(("language", "encoding"), LEGACY)
def test_legacy_encoding_is_recognised(language: str, encoding: str) -> None:
    sentence = SENTENCES[language]
    decoded = decode(sentence.encode(encoding))
    assert decoded is not None
    assert decoded.text == sentence
    assert decoded.exact


@pytest.mark.parametrize("encoding", UNICODE)
@pytest.mark.parametrize("language", SENTENCES)
def test_unicode_is_read_with_and_without_byte_order_mark(language: str, encoding: str) -> None:
    text = f"{SENTENCES[language]}\nThe pump stopped at 4 a.m.\n"
    decoded = decode(text.encode(encoding))
    assert decoded is not None
    assert decoded.text == text


def test_rare_four_byte_characters_of_gb18030_survive() -> None:
    text = SENTENCES["simplified"] + "㐀𠮷䶮"
    decoded = decode(text.encode("gb18030"))
    assert decoded is not None
    assert decoded.text == text


def test_utf8_with_a_broken_byte_is_still_utf8_and_says_so() -> None:
    content = (SENTENCES["simplified"] * 5).encode() + b"\xe6\xb0" + "结束".encode()
    decoded = decode(content)
    assert decoded is not None
    assert decoded.encoding == "utf-8"
    assert "水压过低" in decoded.text
    assert not decoded.exact


def test_mostly_english_text_with_one_legacy_word_is_read() -> None:
    content = (
        b"The word for pressure is " + "Drücke".encode("latin-1") + b" and so on, for many lines of English.\n" * 50
    )
    decoded = decode(content)
    assert decoded is not None
    assert "Drücke" in decoded.text


@pytest.mark.parametrize("size", [64, 1_000, 100_000])
def test_random_bytes_are_no_text(size: int) -> None:
    assert decode(b"\x00\x01" + os.urandom(size)) is None


def test_newlines_of_all_systems_become_one_kind() -> None:
    assert clean("a\r\nb\rc\nd\x85e\u2028f\x0cg") == "a\nb\nc\nd\ne\nf\ng"


@pytest.mark.parametrize("around", ["{}", "a{}", "é{}", "{}\r\n", "{}{}é"])
def test_every_character_is_kept_made_a_newline_or_left_out(around: str) -> None:
    newlines = set("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    unwanted = {*map(chr, [*range(9), *range(0x0E, 0x20), *range(0x7F, 0xA0), 0xFEFF, 0xFFFE, 0xFFFF])} - newlines
    for letter in map(chr, [*range(0x3100), *range(0xD700, 0x10100, 7), *range(0xFE00, 0x10000), 0x10FFFF]):
        shown = "\n" if letter in newlines else "" if letter in unwanted or "\ud800" <= letter <= "\udfff" else letter
        expected = around.format(shown, shown).replace("\r\n", "\n")
        if letter == "\r" and around == "{}\r\n":
            expected = "\n\n"
        assert clean(around.format(letter, letter)) == expected, hex(ord(letter))


@given(st.text(alphabet=st.characters(categories=["Cs", "Cc", "Lu", "Lo", "Zs", "Co"]), max_size=200))
def test_clean_text_can_be_stored_anywhere(text: str) -> None:
    cleaned = clean(text)
    assert "\0" not in cleaned
    assert "\r" not in cleaned
    assert cleaned.encode().decode() == cleaned


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("製品名：ヒートポンプ\n型番：HP-200\n", "cp932"),
        ("„Zitat“ – 20 €", "cp1252"),
        ("Straße und Größe\nZweite Zeile über Äpfel\nDritte Zeile: fünf Öfen\nVierte Zeile grün", "mac-roman"),
        ("水泵在四十度时启动。", "utf-16-le"),
        ("서울 안녕하세요 반갑습니다", "utf-16-le"),
    ],
)
def test_pairs_of_letters_are_not_taken_for_wide_characters_nor_the_other_way_round(text: str, encoding: str) -> None:
    assert LibraryDocumentParser().parse(text.encode(encoding), name="a.txt").text == text


@pytest.mark.parametrize("encoding", ["cp1251", "koi8_u", "cp866", "iso8859_5"])
@pytest.mark.parametrize(
    "text", ["ПРОВЕРЬТЕ СОЕДИНЕНИЕ ТРУБ", "ВНИМАНИЕ! ВЫСОКОЕ НАПРЯЖЕНИЕ 380 В", "проверьте соединение труб"]
)
def test_cyrillic_in_capitals_or_without_any_is_not_taken_for_the_other_case(text: str, encoding: str) -> None:
    found = decode(text.encode(encoding))
    assert found
    assert found.text == text


def test_single_control_character_in_a_line_does_not_make_it_binary() -> None:
    found = decode(b"the pump has \x00 stopped\nat noon")
    assert found
    assert found.text.startswith("the pump has")
