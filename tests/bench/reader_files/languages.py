"""Sentences in several languages, put together at random from a seed: what the made files are filled with."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Language:
    """How sentences of a language are made: `{word}` stands for one of its words of a kind, `{n}` for a number.

    `words` are those of each kind, with spaces between them.
    """

    sentences: tuple[str, ...]
    words: Mapping[str, str]
    joint: str = " "

    def sentence(self, chance: random.Random) -> str:
        """Return a sentence."""
        return _SLOT.sub(lambda slot: self.word(slot[1], chance), chance.choice(self.sentences))

    def paragraph(self, chance: random.Random, *, sentences: int = 5) -> str:
        """Return a paragraph."""
        return self.joint.join(self.sentence(chance) for _ in range(sentences))

    def title(self, chance: random.Random) -> str:
        """Return a heading."""
        noun = self.word("Noun", chance) if self.words else "§"
        return f"{noun} {self.word('n', chance)}"

    def cell(self, chance: random.Random) -> str:
        """Return what stands in a cell of a table."""
        return self.word("noun" if chance.random() < 0.5 else "n", chance)

    def word(self, kind: str, chance: random.Random) -> str:
        """Return a word of a kind, with a capital where the kind is written with one."""
        if kind == "n":
            return str(chance.randrange(10, 10_000))
        word = chance.choice(_split(self.words[kind.lower()]))
        return word[0].upper() + word[1:] if kind[0].isupper() else word


ENGLISH = Language(
    (
        "The {adjective} {noun} {verb} the {noun} before the {adjective} {noun} has reached {n} degrees.",
        "Whoever {verb} a {noun} without the {adjective} {noun} loses the {noun} of part {n}.",
        "{Noun} and {noun} are {adjective}, because the {noun} {verb} them {n} times a year.",
        "After {n} hours the {adjective} {noun} {verb} every {noun} that the {noun} has left behind.",
        "It is {adjective} that the {noun}, which {verb} the {noun}, stays below the {adjective} {noun} of {n} bar.",
        "Nobody {verb} the {noun} while the {noun} is {adjective}.",
    ),
    {
        "noun": (
            "compressor installation temperature evaporator documentation maintenance refrigerant pressure circulation "
            "thermostat configuration manufacturer department measurement authorisation ventilation certificate valve "
            "technician combustion replacement inspection neighbourhood protocol membrane housing sensor agreement "
            "responsibility environment customer connection insulation requirement warranty display schedule "
            "consumption voltage contamination"
        ),
        "adjective": (
            "horizontal independent temporary mechanical comprehensive dangerous external significant electrical "
            "confidential necessary complicated available residential permanent hydraulic reliable transparent "
            "inadmissible defective quarterly stainless"
        ),
        "verb": (
            "interrupts disconnects accompanies supervises guarantees replaces measures calibrates lubricates "
            "determines protects invalidates distributes documents overheats regulates supplies"
        ),
    },
)
CHINESE = Language(
    (
        "在{adjective}的情况下，{noun}应当由{noun}负责{verb}，并在{n}小时内完成记录。",
        "{noun}的温度超过{n}度时，请立即{verb}{noun}，否则{noun}可能损坏。",
        "根据第{n}条的规定，{adjective}的{noun}不得{verb}{noun}。",
        "为了保证{noun}的安全，操作人员必须每{n}天{verb}一次{adjective}的{noun}。",
        "如果{noun}没有显示{adjective}的数值，说明{noun}已经停止工作，需要重新{verb}。",
    ),
    {
        "noun": (
            "热泵 压缩机 蒸发器 冷凝水 控制系统 传感器 电源开关 管理部门 维修手册 安全阀 循环水泵 室外机 "
            "用户 技术资料 环境温度 制冷剂 过滤网 通风设备 合同条款 检验报告"
        ),
        "adjective": "正常 特殊 紧急 一般 有效 重要 潮湿 低温 标准 临时",
        "verb": "检查 更换 清洗 关闭 安装 调整 测量 批准 使用 登记 维护",
    },
    joint="",
)


@cache
def _split(words: str) -> list[str]:
    return words.split()


def _plain(joint: str, *sentences: str) -> Language:
    return Language(sentences, {}, joint)


TRADITIONAL = _plain(
    "",
    "請在打開電源之前檢查壓縮機與室外機的連接是否牢固，第{n}頁有詳細說明。",
    "這個設備應該由專業人員負責維修，否則製造廠不承擔任何責任，電話{n}。",
    "當溫度超過{n}度的時候，系統會自動關閉閥門並且發出聲音。",
    "我們將會繼續為客戶提供資料、圖書與網頁的內容，編號{n}。",
)
JAPANESE = _plain(
    "",
    "電源を入れる前に、圧縮機と室外機の接続を確認してください（{n}ページ）。",
    "この装置の温度が{n}度を超えると、システムは自動的に停止します。",
    "サービスのお問い合わせは、お買い上げの販売店までご連絡ください、番号{n}。",
    "フィルターは{n}時間ごとに掃除し、よく乾かしてから元に戻します。",
)
KOREAN = _plain(
    " ",
    "전원을 켜기 전에 압축기와 실외기의 연결 상태를 확인하십시오, {n}쪽.",
    "온도가 {n}도를 넘으면 시스템이 자동으로 멈추고 경고가 표시됩니다.",
    "이 제품의 수리는 반드시 전문 기술자에게 맡겨야 합니다, 번호 {n}.",
    "필터는 {n}시간마다 청소하고 완전히 말린 다음에 다시 끼우십시오.",
)
RUSSIAN = _plain(
    " ",
    "Перед включением насоса проверьте соединение компрессора с наружным блоком, страница {n}.",
    "Если температура превышает {n} градусов, система автоматически останавливается.",
    "Ремонт этого устройства должен выполнять только обученный специалист, телефон {n}.",
    "Фильтр необходимо чистить каждые {n} часов и хорошо просушивать.",
)
POLISH = _plain(
    " ",
    "Przed włączeniem pompy należy sprawdzić połączenie sprężarki z urządzeniem zewnętrznym, strona {n}.",
    "Jeżeli temperatura przekroczy {n} stopni, układ zatrzyma się sam i wyświetli ostrzeżenie.",
    "Naprawę może wykonać wyłącznie przeszkolony technik, który zna również część numer {n}.",
    "Filtr trzeba czyścić co {n} godzin, a następnie dokładnie wysuszyć.",
)
GREEK = _plain(
    " ",
    "Πριν από την εκκίνηση της αντλίας ελέγξτε τη σύνδεση του συμπιεστή, σελίδα {n}.",
    "Όταν η θερμοκρασία ξεπεράσει τους {n} βαθμούς, το σύστημα σταματά αυτόματα.",
    "Η επισκευή της συσκευής πρέπει να γίνεται μόνο από τεχνικό, τηλέφωνο {n}.",
)
FRENCH = _plain(
    " ",
    "Avant de démarrer la pompe, vérifiez que le compresseur est relié à l'unité extérieure, page {n}.",
    "Dès que la température dépasse {n} degrés, le système s'arrête et l'écran affiche un défaut à réparer.",
    "L'été, le filtre doit être nettoyé toutes les {n} heures, puis séché complètement à l'air.",
)
GERMAN = _plain(
    " ",
    "Prüfen Sie vor dem Einschalten der Wärmepumpe, ob der Verdichter mit dem Außengerät verbunden ist, Seite {n}.",
    "Übersteigt die Temperatur {n} Grad, schaltet die Anlage selbsttätig ab und zeigt eine Störung.",
    "Für Änderungen an der Überströmleitung dürfen nur geschulte Kräfte mit Prüfnummer {n} tätig werden.",
)
TURKISH = _plain(
    " ",
    "Isı pompasını çalıştırmadan önce kompresörün dış ünite ile bağlantısını kontrol ediniz, sayfa {n}.",
    "Sıcaklık {n} dereceyi aştığında sistem kendiliğinden durur ve ekranda uyarı görünür.",
    "Filtre her {n} saatte bir temizlenmeli, ardından iyice kurutulup yerine takılmalıdır.",
)
