"""Sentences written for these tests in many languages; ‖ marks every border, and nothing else may be cut."""

from __future__ import annotations

import importlib.util
import itertools
import re
import sys
from importlib import metadata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus import segmenters, split
from lanner.errors import LannerError, MissingExtraError

GOLDEN = {
    "en": [
        "Mrs. Hale met Dr. Ortiz at No. 12 Elm St. on Friday.‖They talked until late.",
        "The meeting ended at 5 p.m.‖Nobody stayed behind.",
        "He paid $3.50 for it.‖See example.org for the price list.",
        'She asked, "Are you coming?" and left.‖Nobody answered her.',
        '"We are late!"‖The train was gone.',
        "J. R. Miller wrote it.‖Few people read it.",
        "Wait... what happened?‖I fell asleep.",
        "What a day! 😂‖Tomorrow we rest.",
        "so tired today.‖cannot work like this.‖good night.",
        "1. Open the box.‖2. Take out the lamp.",
    ],
    "de": [
        "Am 3. Oktober war das Amt geschlossen.‖Wir kamen am 4. wieder.",
        "Dr. Weber wohnt z. B. in der Nähe, d. h. im Nachbarhaus.‖Das ist praktisch.",
        "„Kommst du mit?“, fragte sie.‖„Nein.“",
        "Es kostet ca. 20 Euro.‖Das ist zu viel.",
    ],
    "fr": [
        "M. Dubois est arrivé à 9 h.‖Il a salué tout le monde.",
        "« Où vas-tu ? » demanda-t-elle.‖« Chez moi ! »‖Il partit.",
        "On a acheté du pain, du lait, etc.‖Le reste attendra.",
    ],
    "es": [
        "El Sr. Vidal no contestó.‖¿Qué podía decir?‖¡Nada!",
        "Viajó a EE. UU. en mayo.‖Volvió en junio.",
        "Nació en el siglo II a. C. en una isla.‖Murió lejos.",
    ],
    "pt": ["A Sra. Lima mora na Av. Central.‖O filho dela, não.", "Que dia!‖Ninguém dormiu."],
    "it": ["Il sig. Conti è uscito alle 8.‖Tornerà domani.", "Vedi pag. 12 e segg. del libro.‖È chiaro."],
    "nl": ["Mevr. Jansen belde om 8 uur.‖Niemand nam op.", "Hij kocht o.a. brood.‖Daarna ging hij naar huis."],
    "pl": ["Spotkali się 5. maja przy ul. Długiej.‖Padał deszcz.", "Prof. Lis mówił długo.‖Nikt nie pytał."],
    "cs": ["Schůze je 3. května v 9 hodin.‖Přijďte včas.", "Bydlí např. v Brně.‖Pracuje jinde."],
    "ru": ["Он родился в 1900 г. в деревне.‖Там жили его родители.", "Купили хлеб, соль и т. д.‖Потом ушли."],
    "tr": ["Dr. Kaya 3. katta oturuyor.‖Kapısı hep açık.", "Geldin mi?‖Çok bekledim!"],
    "el": ["Πού πας;‖Δεν ξέρω.", "Ο κ. Νίκου έφυγε.‖Θα γυρίσει αύριο."],
    "ar": ["هل وصلت الرسالة؟‖نعم، وصلت أمس.", "سافر د. سامي إلى المدينة.‖عاد بعد يومين."],
    "ur": ["وہ گھر گیا۔‖پھر سو گیا۔"],
    "fa": ["حال شما چطور است؟‖خوبم."],
    "he": ["מה שלומך?‖הכול בסדר."],
    "hi": ["वह घर गया।‖फिर वह सो गया।", "डॉ. वर्मा यहाँ रहते हैं।‖क्या आप उन्हें जानते हैं?"],
    "bn": ["সে বাড়ি গেল।‖তারপর ঘুমাল।"],
    "zh": [
        "今天下雨了。‖我们没有出门。",
        "“你去哪儿？”他问。‖她没有回答。",
        "真的吗？‖当然！",
        "价格是3.5元。‖不贵。",
    ],
    "ja": [
        "今日は雨です。‖出かけません。",
        "「もう帰ろう。疲れた。」と彼は言った。‖外は暗かった。",
        "本当？‖うん！",
        "彼は「はい。」と答えた。‖それだけだった。",
    ],
    "ko": [
        "오늘은 비가 왔다.‖우리는 집에 있었다.",
        '"어디 가?"라고 그가 물었다.‖아무도 대답하지 않았다.',
        "버전 2.5가 나왔습니다.‖써 보셨나요?",
        "진짜 웃겼어 ㅋㅋㅋ‖다음에 또 봐요!",
    ],
    "am": ["ቤት ሄደ።‖ከዚያ ተኛ።"],
    "hy": ["Նա տուն գնաց։‖Հետո քնեց։"],
    "xx": ["Unknown tongue here.‖Still two sentences!"],
}


@pytest.mark.parametrize(("code", "marked"), [(code, line) for code, lines in GOLDEN.items() for line in lines])
def test_borders_are_where_a_reader_puts_them(code, marked):
    space = "" if code in ("zh", "ja") else " "
    pieces = marked.split("‖")
    text = space.join(pieces)
    edges = [0, *segmenters.rule_cuts(text, code), len(text)]
    assert [text[a:b].strip() for a, b in itertools.pairwise(edges)] == pieces


def test_a_regional_code_has_the_data_of_its_language():
    assert segmenters.language("pt-BR") == segmenters.language("pt")
    assert segmenters.language("zh_TW").clings is not None


def test_an_uncertain_abbreviation_is_left_to_the_caller():
    text = "He moved to the U.S. Army base."
    assert segmenters.rule_cuts(text, "en") != []
    assert segmenters.rule_cuts(text, "en", sure=True) == []


@settings(deadline=None)
@given(st.text(alphabet="aB.!?…。！ \n\"'”»)(@#1😂다", max_size=60), st.sampled_from(["en", "ko", "zh", "fr", "el"]))
def test_cuts_are_increasing_offsets_at_the_start_of_words(text, code):
    cuts = segmenters.rule_cuts(text, code)
    assert cuts == sorted(set(cuts))
    assert all(0 < cut < len(text) and not text[cut].isspace() for cut in cuts)


@pytest.mark.parametrize(
    "marked",
    [
        "He served in the U.S. Army for years.‖Then he went home.",
        "They met in Washington, D.C., on Monday.‖It rained.",
        "I am quite lazy.‖Hire me now.",  # nupunkt alone takes "lazy." for an abbreviation
        "The raft is gone. 🤦‍♀️‖Make that four times.",
        "New glasses, finally 😂‖@user7 They look good.",
        "It works as fast as I can.‖@user16 Thanks!",
    ],
)
def test_what_one_part_misses_the_other_finds(marked):
    pieces = marked.split("‖")
    text = " ".join(pieces)
    edges = [0, *segmenters.nupunkt_cuts(text, "en"), len(text)]
    assert [text[a:b].strip() for a, b in itertools.pairwise(edges)] == pieces


@pytest.mark.skipif(importlib.util.find_spec("kiwipiepy") is None, reason="the extra 'ko' is not installed")
def test_korean_without_punctuation_is_cut_by_its_grammar():
    text = "어제는 비가 많이 왔어요 그래서 집에만 있었어요 오늘은 날씨가 좋네요"
    assert [text[cut:].split(maxsplit=1)[0] for cut in segmenters.kiwi_cuts(text, "ko")] == ["그래서", "오늘은"]


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    segmenters._kiwi.cache_clear()
    with pytest.raises(MissingExtraError, match=r"lanner\[ko\]"):
        segmenters.kiwi_cuts("안녕하세요.", "ko")


@pytest.fixture
def plugged(monkeypatch):
    """Another package's segmenter under `lanner.segmenters`, as an installed distribution would register it."""

    def plug(function):
        class Point:
            name = "theirs"

            def load(self):
                return function

        real = metadata.entry_points

        def points(**chosen):
            if chosen.get("group") == segmenters.GROUP:
                return [Point()] if chosen.get("name", "theirs") == "theirs" else []
            return real(**chosen)

        monkeypatch.setattr(metadata, "entry_points", points)
        segmenters.find.cache_clear()

    yield plug
    segmenters.find.cache_clear()


def test_english_and_other_languages_have_their_default():
    assert segmenters.default("en-GB") == "nupunkt"
    assert segmenters.default("ko") == segmenters.default("und") == "rules"
    assert {"kiwi", "nupunkt", "rules"} <= set(segmenters.names())


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(LannerError, match="Did you mean 'nupunkt'"):
        segmenters.find("nupnukt")


def test_any_callable_that_gives_sentences_can_be_plugged_in(plugged):
    plugged(lambda text: re.split(r"(?<=\|)", text))
    assert split.sentences("one  two| three\nfour", "en", {"en": "theirs"}) == ["one  two|", "three", "four"]


@pytest.mark.parametrize("broken", [lambda text: [text.upper()], lambda text: [text[:3]], lambda text: []])
def test_a_segmenter_that_loses_text_is_refused(plugged, broken):
    plugged(broken)
    with pytest.raises(LannerError, match="must give back every character"):
        split.sentences("some words here", "en", {"en": "theirs"})


def test_a_choice_for_a_language_holds_for_its_regions(plugged):
    plugged(lambda text: text.split("|"))
    with pytest.raises(LannerError, match="changed the text"):
        split.sentences("a|b", "en-GB", {"en": "theirs"})
    assert segmenters.base("por") == segmenters.base("pt_BR") == "pt"
