"""Languages of short texts, as a column of a table holds them; sentences were written for this test."""

from __future__ import annotations

import pytest

from lanner.formats.parsing.language_guess import _SCRIPTS, _function_words, guess_language
from lanner.model import languages

SENTENCES = {
    "en": "The ferry had left before the tide turned, and nobody on the pier was waiting for it.",
    "de": "Die Fähre war abgefahren, bevor die Flut kam, und niemand wartete auf sie.",
    "es": "El barco había salido antes de que subiera la marea y nadie lo esperaba en el muelle.",
    "fr": "Le bateau était parti avant la marée et personne ne l'attendait sur le quai.",
    "it": "Il traghetto era partito prima della marea e nessuno lo aspettava sul molo con una valigia.",
    "pt": "O barco partiu antes da maré e ninguém esperava por ele no cais, mas não foi um problema.",
    "nl": "De boot was vertrokken voor het tij keerde en niemand wachtte op hem bij de haven.",
    "pl": "Prom odpłynął przed przypływem i nikt nie czekał na niego na molo, ale to nie jest problem.",
    "cs": "Loď odplula před přílivem a nikdo na ni nečekal, ale to se v přístavu stává, že je pryč.",
    "sv": "Färjan hade gått innan tidvattnet vände och det var inte en människa som väntade på den.",
    "fi": "Lautta oli lähtenyt ennen vuorovettä, ja hän sanoi että se ei ollut niin kuin ennen.",
    "hu": "A komp már elment, és nem volt egy ember sem, hogy várja, de az is csak egy nap volt.",
    "tr": "Vapur gelgitten önce gitmişti ve iskelede bir kişi bile yoktu, ama bu çok da önemli değil.",
    "ru": "Паром ушёл до прилива, и никто не ждал его на причале, но это было не так важно.",
    "uk": "Пором відплив до припливу, і ніхто не чекав на нього, але це не так важливо, як він думав.",
    "ar": "غادرت العبارة قبل المد ولم يكن أحد في انتظارها على الرصيف من هذا الجانب",
    "hi": "नाव ज्वार से पहले चली गई थी और घाट पर कोई नहीं था, यह सब को पता है।",
    "ko": "배는 밀물이 들기 전에 떠났다.",
    "ja": "フェリーは潮が変わる前に出た。",
    "zh": "渡轮在涨潮之前就离开了码头。",
    "el": "Το πλοίο έφυγε πριν από την παλίρροια.",
    "he": "המעבורת עזבה לפני הגאות.",
    "th": "เรือออกก่อนน้ำขึ้น",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_tells_its_language(code: str) -> None:
    guess = guess_language([SENTENCES[code]])
    assert guess.code == code
    assert 0.5 < guess.sure < 1


def test_names_of_other_scripts_do_not_decide() -> None:
    assert guess_language([f"{SENTENCES['de']} (東京)"]).code == "de"


@pytest.mark.parametrize("texts", [[], ["", "  "], ["12", "13.5"], ["doc-01", "doc-02", "doc-03"], ["Claude"]])
def test_where_nothing_can_be_told_nothing_is(texts: list[str]) -> None:
    assert guess_language(texts) == ("", 0.0)


def test_every_language_guessed_can_be_chosen() -> None:
    assert set(_function_words()) | set(_SCRIPTS.values()) <= set(languages.table())
