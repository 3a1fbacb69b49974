from __future__ import annotations

import pytest

from lanner.errors import InputError
from lanner.formats.parsing.encodings import alphabets, candidates, detect, example, named

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


SENTENCES = {
    "Der Käufer prüft, ob die Größe stimmt.": ("cp1252", "cp850", "mac_roman"),
    "L'été dernier, nous étions très fatigués après la fête.": ("cp1252", "cp850", "mac_roman"),
    "Mañana llegará otro camión con más jabón.": ("cp1252", "cp850", "mac_roman"),
    "Lunedì sarà più difficile, perciò è meglio oggi.": ("cp1252", "cp850", "mac_roman"),
    "As eleições serão amanhã em todo o país.": ("cp1252", "cp850", "mac_roman"),
    "Hun går på skolen om morgenen og læser bøger.": ("cp1252", "cp850"),
    "Hän söi aamiaista pöydän ääressä.": ("cp1252", "cp850"),
    "Þau ætla að kaupa brauð og mjólk á morgun.": ("cp1252", "cp850"),
    "Żółw idzie powoli, a zając śpi pod drzewem.": ("cp1250", "iso8859_2", "cp852"),
    "Příští týden pojedeme na výlet k řece.": ("cp1250", "iso8859_2", "cp852"),
    "Budúci týždeň pôjdeme na výlet, lebo už nemáme školu, a večer zase ťažko zaspíme.": (
        "cp1250",
        "iso8859_2",
        "cp852",
    ),
    "A jövő héten kirándulunk a folyóhoz, ha szép idő lesz.": ("cp1250", "iso8859_2", "cp852"),
    "Săptămâna viitoare mergem în excursie la râu.": ("cp1250", "iso8859_2", "cp852"),
    "Sljedeći tjedan idemo na izlet, ali još ne znamo što ćemo ponijeti.": ("cp1250", "iso8859_2", "cp852"),
    "Naslednji teden gremo na izlet, če bo lepo vreme, vendar še ne vemo, kaj bomo vzeli s seboj za žejo.": (
        *("cp1250", "iso8859_2", "cp852"),
    ),
    "Gelecek hafta ırmağa gezmeye gideceğiz, çünkü hava güneşli.": ("cp1254", "cp857"),
    "Järgmisel nädalal läheme jõe äärde matkama.": ("cp1257",),
    "Kitą savaitę važiuosime į iškylą prie upės.": ("cp1257",),
    "Nākamnedēļ mēs brauksim ekskursijā pie upes.": ("cp1257",),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_one_sentence_shows_its_encoding(sentence: str) -> None:
    """Also where another encoding makes letters of the same bytes, by how letters follow one another."""
    for name in SENTENCES[sentence]:
        data = f"source,target\nNext week we will be there.,{sentence}\n".encode(name)
        encoding = detect(data, complete=True)
        assert encoding is not None, name
        assert data.decode(encoding.name).endswith(f"{sentence}\n"), (name, encoding)


@pytest.mark.parametrize(
    ("name", "text", "readings"),
    [
        ("cp852", "id,word\n1,hišo\n", {"'hišo'", "'hiço'"}),
        ("mac_roman", "1,The end …\n", {"'…'", "'É'"}),
        ("cp1252", "judge,score\nZoë,3\n", {"'Zoë'", "'Zoė'"}),
    ],
)
def test_where_two_readings_are_plausible_none_is_taken(name: str, text: str, readings: set[str]) -> None:
    data = text.encode(name)
    assert detect(data, complete=True) is None
    assert readings <= {example(data, encoding) for encoding in candidates(data, complete=True)}


# How likely words are in a language, by the pairs of letters in them


BY_LANGUAGE = {alphabet.language: alphabet for alphabet in alphabets()}


@pytest.mark.parametrize(
    ("language", "right", "wrong"),
    [
        ("Croatian", "kuće", "kuæe"),
        ("Polish", "spóźniony", "sp˘«niony"),
        ("German", "Fähre", "F„hre"),
        ("Latvian", "kavējas", "kavçjas"),
        ("French", "prévu", "prÄvu"),
        ("English", "It’s", "ItÕs"),
        ("Spanish", "¿Dónde", "ØDÃ³nde"),
    ],
)
def test_a_word_is_likelier_than_the_same_bytes_read_otherwise(language: str, right: str, wrong: str) -> None:
    assert BY_LANGUAGE[language].word_score(right) > BY_LANGUAGE[language].word_score(wrong) + 3


def test_a_word_is_likeliest_in_its_language() -> None:
    for language, word in {
        "Czech": "přístroj",
        "Icelandic": "þjóðina",
        "Turkish": "yağmurlu",
        "Finnish": "pöydän",
    }.items():
        scores = {name: alphabet.word_score(word) for name, alphabet in BY_LANGUAGE.items()}
        assert max(scores, key=scores.__getitem__) == language


def test_pairs_after_a_letter_are_probabilities() -> None:
    for alphabet in alphabets():
        for letter in "aens":
            total = sum(2.718281828**score for pair, score in alphabet.pairs.items() if pair[0] == letter)
            assert 0.6 < total < 1.5, (alphabet.language, letter)
