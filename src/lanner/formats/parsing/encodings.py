"""Which encoding a text file has, found from its bytes.

A byte order mark or valid UTF-8 settles it. Otherwise every encoding that can decode the bytes is scored by how much
of the result is what people write in one of its languages: letters of one alphabet, common syllables and ideographs.
Many encodings make Latin letters of the same bytes: among these, how the letters follow one another decides. Where two
of them are about as likely, none is taken, and the user is asked.
"""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import pairwise

from lanner import registry
from lanner.errors import InputError, did_you_mean
from lanner.formats.parsing.headings import header_score

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LEAST = 0.72
"""The least share of plausible characters for an encoding to be believed."""
_DAMAGED = 0.02
"""UTF-8 with fewer broken characters than this is damaged UTF-8, not another encoding."""
_ENOUGH = 16 * 1024
_HEADER_LINES = 5
_LONGEST_LINE = 2000
_LONGEST_WORD = 100
_NAME = 0.2
"""What the name of a column is worth."""
_CONTROL = tuple(bytes([code]) for code in range(0x20) if code not in b"\b\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f")
_SIGNS = frozenset("“”„‘’‚«»‹›–—…°€£§©®·•¿¡×½¼¾²³ºª\u00a0")
"""Signs beyond ASCII that people write between words."""
_PUNCTUATION = _SIGNS | set("、。，．：；？！（）「」『』【】《》〈〉・ー～％＋－＝／　")

_VIETNAMESE = "Vietnamese"
"""The one Latin alphabet below: all of its letters are common."""
# Letters beyond ASCII that each language writes, in lower case, with the encodings its files come in: of Windows, of
# other systems, of MS-DOS. Letters of other scripts than Latin are ordered by how often they are used: decoded wrongly,
# the rare ones become the commonest. The other Latin alphabets are in `letter_pairs.toml`.
_ALPHABETS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (_VIETNAMESE, ("cp1258",), "àáâãèéêìíòóôõùúýăđơư\u0300\u0301\u0303\u0309\u0323"),
    ("Russian", ("cp1251", "koi8_r", "cp866", "iso8859_5"), "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё№"),
    ("Ukrainian", ("cp1251", "koi8_u"), "оаинівертскмлпудяьзгйбчхцжюїєшщфґ№"),
    ("Bulgarian", ("cp1251",), "аоиетнрсвлкдпмзяъгчубщжйхцшфюь№"),
    ("Serbian", ("cp1251",), "аоиенрсјтукдвпмлзгбћчшцжђхњфљџ"),
    ("Greek", ("cp1253", "iso8859_7", "cp737"), "αοιετσνηυρπκμλςάίόέήύώωδγχθφβξζψϊϋΐΰ"),
    ("Hebrew", ("cp1255",), "יוהלאתרבמשנםדחקפגכעטצזסןךףץ"),
    ("Arabic", ("cp1256",), "الينمتربوعدهسفحكقجةأشصطخىذزثضغظًٌٍَُِّْـ،؟؛إئءؤآ"),
    ("Thai", ("cp874",), "านรอกเงมยล่้วดทสตะปบค์หัแิีจพชขใไูุึโำืผธ็ณฟซถภศษญฉฎฐฝฮฆฤๆฯฬฑฏฒฅฃฌฦ๐๑๒๓๔๕๖๗๘๙"),
)
_COMMON_SHARE = 0.6
_RARITY = {
    "cp1250": 0.5,
    "cp1254": 0.7,
    "cp1257": 0.7,
    "iso8859_2": 2.0,
    "cp850": 2.5,
    "cp852": 2.5,
    "cp857": 3.0,
    "mac_roman": 3.5,
}
"""How much rarer files in other encodings than Windows-1252 are, in the unit of scores of words. CP850 reads what CP437
writes in these languages."""
_PLAIN_WORDS = 0.5
"""What the words without letters beyond ASCII are worth that stand with the others: they tell the language, no more."""
_KNOWN_NAME = 6.0
"""What the name of a column is worth, in the unit of scores of words."""
_CLEARLY = 5.0
"""By how much a reading must be likelier than any other one."""
_TELLING = 4000
"""So many bytes of cells with letters beyond ASCII tell how a language is spelled."""
_CELL = re.compile(rb"[,;\t\r\n|]")
_WORD = re.compile(rb'[^\s"]+')
_MISPLACED = re.compile(r"(?<=[^\W\d_])[¡¿£€§©®„‚]|(?<=[^\W\d_])[“”«»‹›…•°×½¼¾](?=[^\W\d_])|(?<=\d)[^\W\d_](?=\d)")
"""Signs in places where nobody writes them, but wrong decoding puts them."""
_KOREAN_SYLLABLES = set("이다는을에가의은하지고를도로한서사기시어나리자아인있들것수그해대부과정상일전안습니요주우보장")
_CHINESE_IDEOGRAPHS = set(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天"
    "而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长這個來國說們為時會對過學後麼還發"
)
_EAST_ASIAN = (
    ("Korean", "cp949"),
    ("Japanese", "cp932"),
    ("Japanese", "euc_jp"),
    ("Chinese", "gb18030"),
    ("Chinese", "big5"),
)
_ODD_CASE = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Encoding:
    """An encoding that was found: its name for Python, and the language that gave it away."""

    name: str
    language: str = ""

    def __str__(self) -> str:
        name = "UTF-8" if self.name == "utf-8-sig" else self.name.upper().replace("_", "-")
        return f"{name} ({self.language})" if self.language else name


UTF_8 = Encoding("utf-8")


def named(name: str) -> Encoding:
    """The encoding that a user names."""
    try:
        return Encoding(codecs.lookup(name).name)
    except (LookupError, ValueError) as error:
        names = sorted({"utf-8", "utf-16", *(encoding for _, encoding in _EAST_ASIAN), *_single_bytes()})
        raise InputError(f"There is no encoding called {name!r}.", next_step=did_you_mean(name, names)) from error


def _single_bytes() -> set[str]:
    others = {encoding for _, encodings, _ in _ALPHABETS for encoding in encodings}
    return others.union(*(alphabet.encodings for alphabet in alphabets()))


def detect(sample: bytes, *, complete: bool) -> Encoding | None:
    """The encoding of the bytes at the beginning of a file (`complete`: of all of it); None where nothing fits well, or
    two encodings fit about as well. UTF-8 with a few broken characters counts as UTF-8: whoever reads it says where it
    is damaged."""
    encodings = candidates(sample, complete=complete)
    return encodings[0] if len(encodings) == 1 else None


@lru_cache(maxsize=16)
def candidates(sample: bytes, *, complete: bool) -> tuple[Encoding, ...]:
    """The encoding that the bytes have; several where they are about as likely, none where nothing fits well."""
    for mark, name in MARKS:
        if sample.startswith(mark):
            return (Encoding(name),)
    if wide := _without_mark(sample):
        return (wide,)
    if not complete:
        sample = _whole_lines(sample)
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return (UTF_8,)
    if _is_damaged_utf_8(sample):
        return (UTF_8,)
    if any(byte in sample for byte in _CONTROL):
        return ()  # no text at all
    header = tuple(line for line in sample.splitlines()[:_HEADER_LINES] if not line.isascii())
    sample = _telling_lines(sample)
    best, match = 0.0, None
    for score, encoding in _score_encodings(sample):
        sure = score + _NAME * _names_in(header, encoding.name)
        if sure >= _LEAST and sure > best + 1e-9:
            best, match = sure, encoding
    if match is None:
        return ()
    return _guess_by_spelling(sample, header) if match.language in {each.language for each in alphabets()} else (match,)


def example(sample: bytes, encoding: Encoding) -> str:
    """The first word of a text with letters beyond ASCII, as it reads in an encoding."""
    words = (word for line in sample.splitlines() for cell in _CELL.split(line) for word in _WORD.findall(cell))
    word = next((word for word in words if not word.isascii()), b"")
    return repr(word.decode(encoding.name, errors="replace")[:_LONGEST_WORD])


def _guess_by_spelling(sample: bytes, header: tuple[bytes, ...]) -> tuple[Encoding, ...]:
    """The encoding in which the words are spelled as in one of its languages; with rivals, if other letters are about
    as likely."""
    cells = [cell for cell in _CELL.split(sample) if not cell.isascii()]
    words = Counter(_WORD.findall(b" ".join(cells)[:_TELLING]))
    texts: dict[str, tuple[tuple[str, int], ...]] = {}
    scores: dict[str, tuple[float, Encoding]] = {}
    for alphabet in alphabets():
        plain = _PLAIN_WORDS * sum(alphabet.word_score(w.decode()) * n for w, n in words.items() if w.isascii())
        for name in alphabet.encodings:
            try:
                texts[name] = tuple((word.decode(name), n) for word, n in words.items() if not word.isascii())
            except UnicodeDecodeError:
                continue
            score = plain + sum(alphabet.word_score(word) * n for word, n in texts[name])
            score += _KNOWN_NAME * _names_in(header, name) - _RARITY.get(name, 0.0)
            if score > scores.get(name, (-math.inf, UTF_8))[0]:
                scores[name] = score, Encoding(name, alphabet.language)
    ranking = sorted(scores.values(), key=lambda pair: -pair[0])
    if not ranking:
        return ()
    top, best = ranking[0]
    rivals = [each for score, each in ranking[1:] if top - score < _CLEARLY and texts[each.name] != texts[best.name]]
    return (best, *rivals)


@lru_cache(maxsize=256)
def _names_in(lines: tuple[bytes, ...], encoding: str) -> int:
    """How many names of columns that one knows are in lines at the beginning: few letters tell little about a language,
    but `système` is a word and `systäme` is none."""
    texts = [line.decode(encoding, errors="replace") for line in lines]
    cells = [[cell.strip(' "') for cell in re.split(r"[,;\t|]", text)] for text in texts if len(text) < _LONGEST_LINE]
    return max((header_score([cell for cell in row if not cell.isascii()]) for row in cells), default=0)


def _without_mark(sample: bytes) -> Encoding | None:
    """UTF-16 that does not say so: line ends and commas have a zero byte on the same side everywhere."""
    if b"\0" not in sample:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    for name, zeros, others in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if zeros >= max(2, len(sample) // 200) and others * 20 < zeros:
            try:
                text = sample[: len(sample) // 2 * 2].decode(name)
            except UnicodeDecodeError:
                continue
            if "\0" not in text:
                return Encoding(name)
    return None


def _whole_lines(sample: bytes) -> bytes:
    """Without the last line, which a sample cuts off; a single long line loses its last few bytes."""
    end = sample.rfind(b"\n")
    if end > 0:
        return sample[: end + 1]
    for cut in range(4):
        piece = sample[: len(sample) - cut]
        try:
            piece.decode("utf-8")
        except UnicodeDecodeError:
            continue
        return piece
    return sample


def _telling_lines(sample: bytes) -> bytes:
    """Lines that are not all ASCII, as many as it takes to tell."""
    lines = []
    size = 0
    for line in sample.splitlines(keepends=True):
        if not line.isascii():
            lines.append(line)
            size += len(line)
            if size > _ENOUGH:
                break
    return b"".join(lines)[: 2 * _ENOUGH]


def _is_damaged_utf_8(sample: bytes) -> bool:
    text = sample.decode("utf-8", errors="replace")
    broken = text.count("\ufffd")
    sound = sum(character > "\x7f" for character in text) - broken
    return sound > 0 and broken < _DAMAGED * sound


def _score_encodings(sample: bytes) -> Iterator[tuple[float, Encoding]]:
    for language, name in _EAST_ASIAN:
        text = _decode(sample, name)
        if text is not None:
            yield _east_asian_score(text, name), Encoding(name, language)
    texts = {name: _decode(sample, name) for name in _single_bytes()}
    latin = [(each.language, each.encodings, "".join(each.letters)) for each in alphabets()]
    for language, names, letters in (*latin, *_ALPHABETS):
        for place, name in enumerate(names):
            text = texts[name]
            if text is not None:
                # the first encoding of a language is by far the commonest
                is_latin = language == _VIETNAMESE or (language, names, letters) in latin
                yield _alphabet_score(text, letters, latin=is_latin) - 0.02 * place, Encoding(name, language)


def _decode(sample: bytes, name: str) -> str | None:
    try:  # a character that the sample cuts in two at its end is no fault
        return codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return None


def _alphabet_score(text: str, alphabet: str, *, latin: bool) -> float:
    common = alphabet if latin else alphabet[: int(len(alphabet) * _COMMON_SHARE)]
    weights = {**dict.fromkeys(alphabet, 0.45), **dict.fromkeys(common, 1.0)}
    counts = {c: n for c, n in Counter(text).items() if c > "\x7f" and c not in _PUNCTUATION}
    others = sum(counts.values())
    misplaced_signs = len(_MISPLACED.findall(text))
    if not others:  # English with quotation marks and dashes, if they stand where such signs stand
        return 0.5 if misplaced_signs else 0.98
    share = sum(weights.get(c.lower(), 0.0) * n for c, n in counts.items()) / (others + misplaced_signs)
    words = Counter(word[:_LONGEST_WORD] for word in _ODD_CASE.findall(text) if not word.isascii())
    odd = sum(n for word, n in words.items() if any(a.islower() and b.isupper() for a, b in pairwise(word)))
    mixed_words = sum(n for word, n in words.items() if len({_script(character) for character in set(word)}) > 1)
    shouted = sum(n for c, n in counts.items() if c.isupper()) > others / 2
    alone = not latin and all(len(word) < 2 for word in words)  # of another script nobody writes single letters only
    return share - (odd + mixed_words) / max(1, words.total()) - 0.2 * shouted - 0.3 * alone


def _script(character: str) -> str:
    return unicodedata.name(character, "?").split()[0]


def _east_asian_score(text: str, name: str) -> float:
    """The share of characters that are common in the language the encoding was made for."""
    others = [character for character in text if character > "\x7f"]
    letters = [character for character in others if character not in _PUNCTUATION]
    if not letters:
        return 0.5
    rate: dict[str, Callable[[str], float]] = {
        "cp949": _korean,
        "cp932": _japanese,
        "euc_jp": _japanese,
        "gb18030": partial(_chinese, encoding="gb2312", first=0xB0, last=0xD7, rare=0.4),
        "big5": partial(_chinese, encoding="big5", first=0xA4, last=0xC6, rare=0.3),
    }
    counts = Counter(letters)
    score = sum(rate[name](character) * count for character, count in counts.items()) / len(letters)
    if name in ("cp932", "euc_jp"):
        kana = sum("\u3041" <= character <= "\u30ff" for character in letters) / len(letters)
        return score if kana > 0.1 else score - 0.5
    if name == "gb18030":
        # common ideographs are ordered by sound there: Korean text decoded so uses the first half alone
        late = sum(count for character, count in counts.items() if _bytes(character, "gb2312")[:1] > b"\xc8")
        return score if late > 0.1 * len(letters) or len(letters) < 8 else score - 0.3
    return score


def _bytes(character: str, encoding: str) -> bytes:
    try:
        return character.encode(encoding)
    except UnicodeEncodeError:
        return b""


def _korean(character: str) -> float:
    if "\uac00" <= character <= "\ud7a3":
        if character in _KOREAN_SYLLABLES:
            return 1.05
        return 0.95 if len(_bytes(character, "euc_kr")) == 2 else 0.2
    return 0.8 if "\u3131" <= character <= "\u318e" else 0.0


def _japanese(character: str) -> float:
    if "\u3041" <= character <= "\u30ff":
        return 1.0
    code = _bytes(character, "euc_jp")
    return 0.95 if len(code) == 2 and 0xB0 <= code[0] <= 0xCF else 0.0


def _chinese(character: str, *, encoding: str, first: int, last: int, rare: float) -> float:
    """The frequent ideographs have codes from `first` to `last`, the rare ones come behind them."""
    if character in _CHINESE_IDEOGRAPHS:
        return 1.05
    code = _bytes(character, encoding)
    if len(code) != 2 or code[0] < first:
        return 0.0
    return 0.95 if code[0] <= last else rare


# How likely words are in a language, by the pairs of letters in them


_OPENING, _CLOSING, _RAISED = frozenset("„‚«‹¿¡£€§©"), frozenset("…»›"), frozenset("°×½¼¾²³·•–—")
_NUMBERS = frozenset("½¼¾²³ºª")
_RARE_PAIR, _FOREIGN_LETTER = math.log(1e-4), math.log(2e-6)
"""A pair of letters of the language that is not among its usual ones; a letter that the language does not write."""
_SIGN, _NO_LETTER, _CAPITAL_INSIDE, _CAPITAL_ALONE = -6.0, -16.0, -8.0, -4.0
_APOSTROPHE, _LETTER_AT_NUMBER = -2.0, -4.0
_SIGN_INSIDE, _SIGN_ON_WRONG_SIDE, _SIGN_OF_NUMBERS, _SPACE_ALONE = -12.0, -6.0, -3.0, -4.0
_BOUNDARY = "_"


@dataclass(frozen=True, slots=True)
class Alphabet:
    """How a language with Latin letters is written."""

    language: str
    letters: frozenset[str]
    encodings: tuple[str, ...]
    pairs: dict[str, float]
    """The logarithm of how probable the second letter of a pair is after the first."""

    def word_score(self, word: str) -> float:
        """The logarithm of how probable a word is, with the signs around and in it."""
        score, before = _CAPITAL_ALONE * (len(word) == 1 and not word.isascii() and word.isupper()), _BOUNDARY
        for position, character in enumerate(word):
            if character.isalpha():
                letter = character.lower()[0]
                score += self._pair(before, letter)
                score += _CAPITAL_INSIDE * (position > 0 and character.isupper() and word[position - 1].islower())
                if character > "\x7f" and any(map(str.isdigit, word[max(0, position - 1) : position + 2])):
                    score += _LETTER_AT_NUMBER
                before = letter
                continue
            if before != _BOUNDARY:
                score += self._pair(before, _BOUNDARY)
            if character > "\x7f":
                score += _sign_score(word, position)
            before = _BOUNDARY
        return score + (self._pair(before, _BOUNDARY) if before != _BOUNDARY else 0.0)

    def _pair(self, first: str, second: str) -> float:
        """A pair that is not listed is rare; where its second letter is none of the language it is foreign."""
        is_own = second.isascii() or second in self.letters
        return self.pairs.get(first + second, _RARE_PAIR if is_own else _FOREIGN_LETTER)


def _sign_score(word: str, position: int) -> float:
    """How probable a sign is in its place: wrong decoding puts signs where nobody writes them."""
    character = word[position]
    if character not in _SIGNS:
        return _NO_LETTER
    follows = position > 0 and word[position - 1].isalpha()
    precedes = position + 1 < len(word) and word[position + 1].isalpha()
    if follows and precedes:
        return _APOSTROPHE if character == "’" else _SIGN + _SIGN_INSIDE
    if (follows and character in _OPENING) or (precedes and character in _CLOSING):
        return _SIGN + _SIGN_ON_WRONG_SIDE
    if (follows and character in _RAISED) or (precedes and character in _NUMBERS):
        return _SIGN + _SIGN_OF_NUMBERS
    is_alone = character == "\u00a0" and not (position > 0 and word[position - 1].isalnum())
    return _SIGN + (_SPACE_ALONE if is_alone else 0.0)


@cache
def alphabets() -> tuple[Alphabet, ...]:
    """The Latin alphabets that are known."""
    tables = registry.table("formats.parsing.letter_pairs")
    return tuple(
        Alphabet(
            language,
            frozenset(table["letters"]),
            tuple(table["encodings"]),
            {pair: -n * math.log(2) for n, pairs in enumerate(table["pairs"]) for pair in pairs.split()},
        )
        for language, table in tables.items()
    )
