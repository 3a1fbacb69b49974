from __future__ import annotations

import pytest

from lanner.errors import InputError
from lanner.formats.parsing.encodings import detect, named

TEXTS = {
    "cp949": "문서,원문,번역\nd1,The ferry is late.,배가 늦습니다.\nd1,We waited.,우리는 한 시간을 기다렸습니다.\n",
    "cp932": "文書,原文,訳文\nd1,The ferry is late.,フェリーは遅れています。\nd1,We waited.,一時間待ちました。\n",
    "euc_jp": "文書,原文,訳文\nd1,The ferry is late.,フェリーは遅れています。\n",
    "gb18030": "文档,原文,译文\nd1,The ferry is late.,渡轮晚点了。\nd1,We waited.,我们等了一个小时。\n",
    "big5": "文件,原文,譯文\nd1,The ferry is late.,渡輪晚點了。\nd1,We waited.,我們等了一個小時。\n",
    "cp1252": "Quelle;Ziel\nThe ferry is late.;Die Fähre hat Verspätung – über eine Stunde.\n",
    "cp1250": "źródło,tłumaczenie\nThe ferry is late.,Prom jest spóźniony.\nWe waited.,Czekaliśmy całą godzinę.\n",
    "cp1251": "оригинал,перевод\nThe ferry is late.,Паром опаздывает.\nWe waited.,Мы ждали целый час.\n",
    "koi8_r": "оригинал,перевод\nThe ferry is late.,Паром опаздывает.\nWe waited.,Мы ждали целый час.\n",
    "cp1253": "πηγή,μετάφραση\nThe ferry is late.,Το πλοίο έχει καθυστέρηση.\n",
    "cp1254": "kaynak,çeviri\nThe ferry is late.,Geç kaldığı için üzgünüz.\nx,Hiç gelmeyeceğini düşündük şimdi.\n",
    "cp1255": "מקור,תרגום\nThe ferry is late.,המעבורת מאחרת.\n",
    "cp1256": "مصدر,ترجمة\nThe ferry is late.,العبارة متأخرة.\n",
    "cp1257": "šaltinis,vertimas\nThe ferry is late.,Keltas vėluoja, todėl laukėme visą valandą.\n",
    "cp850": "Quelle;Ziel\nThe ferry is late.;Die Fähre hat Verspätung, über eine Stunde auf der Straße.\n",
    "cp437": "source;cible\nThe ferry is late.;Le bac a été retardé, voilà où ça mène, très tôt.\n",
    "cp852": "źródło,tłumaczenie\nThe ferry is late.,Prom jest spóźniony.\nWe waited.,Czekaliśmy całą godzinę.\n",
    "cp737": "πηγή,μετάφραση\nThe ferry is late.,Το πλοίο έχει καθυστέρηση.\n",
    "cp857": "kaynak,çeviri\nThe ferry is late.,Geç kaldığı için üzgünüz.\nx,Hiç gelmeyeceğini düşündük şimdi.\n",
    "cp874": "ต้นฉบับ,คำแปล\nThe ferry is late.,เรือเฟอร์รี่ล่าช้า\n",
    "utf-16": "원문,번역\nThe ferry is late.,배가 늦습니다.\n",
    "utf-16-le": "원문,번역\nThe ferry is late.,배가 늦습니다.\n",
    "utf-16-be": "원문,번역\nThe ferry is late.,배가 늦습니다.\n",
    "utf-8": "원문,번역\nThe ferry is late.,배가 늦습니다.\n",
    "utf-8-sig": "원문,번역\nThe ferry is late.,배가 늦습니다.\n",
    "ascii": "source,target\nThe ferry is late.,Late ferry.\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("complete", [True, False])
def test_the_text_comes_back(name: str, complete: bool) -> None:
    data = TEXTS[name].encode(name)
    found = detect(data, complete=complete)
    assert found is not None
    assert data.decode(found.name).lstrip("\ufeff") == TEXTS[name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cp949", "Hi,안녕\n"),
        ("gb18030", "Hi,你好\n"),
        ("cp932", "Hi,こんにちは\n"),
        ("cp1252", "1,café\n"),
        ("cp1252", "1,à cause de ça, près d’ici\n"),
        ("cp1250", "1,Trajekt má zpoždění, než přijel.\n"),
        ("cp1250", "1,A komp késik, egy órát vártunk rá, őszintén.\n"),
        ("cp850", "1,¿Dónde está el niño?\n"),
        ("cp850", "1,Não há pão.\n"),
        ("cp1252", "1,Não há pão.\n"),
        ("cp852", "1,Trajekt má zpoždění, než přijel.\n"),
        ("cp1252", "1,Færgen er forsinket på grund af søen.\n"),
    ],
)
def test_a_few_words_are_enough(name: str, text: str) -> None:
    data = text.encode(name)
    found = detect(data, complete=True)
    assert found is not None
    assert data.decode(found.name) == text


def test_what_is_no_text_has_no_encoding() -> None:
    assert detect(bytes(range(256)) * 4, complete=True) is None


def test_a_character_cut_in_two_at_the_end_of_the_sample_is_no_damage() -> None:
    data = ("한국어 " * 100).encode()
    for cut in range(4):
        found = detect(data[: len(data) - cut], complete=False)
        assert found is not None
        assert found.name == "utf-8"


def test_names_people_use() -> None:
    assert named("Windows-1252").name == "cp1252"
    with pytest.raises(InputError, match="no encoding called 'cp9499'"):
        named("cp9499")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cp1252", "1,Wait… what? It’s “late” – again.\n"),
        ("cp1252", "1,Die Fähre ist heute „spät“.\n"),
        ("cp1252", "1,It is 5 °C, or £5\n"),
        ("mac_roman", "1,The end …\n"),
        ("cp850", "score;n\n1\u00a0250;2\n"),
        ("cp850", "document;système;note\nd;X;3\n"),
        ("koi8_r", "документ;сегмент;оценщик;оценка\nd;1;a;3\n"),
        ("euc_jp", "文書,番号,評価者,評価\nd,1,a,3\n"),
    ],
)
def test_signs_and_names_of_columns_tell_where_letters_are_few(name: str, text: str) -> None:
    data = text.encode(name)
    found = detect(data, complete=True)
    assert found is not None
    assert data.decode(found.name) == text
