"""Which encoding a text file has, found from its bytes.

A byte order mark or valid UTF-8 settles it. Otherwise every encoding that can decode the bytes is scored by how much
of the result is what people write in one of its languages: letters of one alphabet, common syllables and ideographs.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from lanner.errors import InputError, did_you_mean
from lanner.formats.parsing.columns import header_score

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
_PUNCTUATION = set("“”„‘’‚«»‹›–—…°€£§©®·•¿¡×½¼¾²³ºª\u00a0、。，．：；？！（）「」『』【】《》〈〉・ー～％＋－＝／　")

# Letters beyond ASCII that each language writes, in lower case, with the encodings its files come in: of Windows, of
# other systems, of MS-DOS, in which old tools still write (CP850 reads the letters of CP437 too). Alphabets of
# other scripts are ordered by how often a letter is used: decoded wrongly, the rare ones become the commonest.
_ALPHABETS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("German", ("cp1252", "mac_roman", "cp850"), "äöüß"),
    ("French", ("cp1252", "mac_roman", "cp850"), "àâçéèêëîïôùûüÿœæ"),
    ("Spanish", ("cp1252", "mac_roman", "cp850"), "áéíóúñü"),
    ("Italian", ("cp1252", "mac_roman", "cp850"), "àèéìíòóùú"),
    ("Dutch", ("cp1252", "cp850"), "áéëïóöüèê"),
    ("Swedish", ("cp1252", "cp850"), "åäöé"),
    ("Danish or Norwegian", ("cp1252", "cp850"), "æøåéòê"),
    ("Icelandic", ("cp1252", "cp850"), "áéíóúýþæöð"),
    ("Polish", ("cp1250", "iso8859_2", "cp852"), "ąćęłńóśźż"),
    ("Czech", ("cp1250", "iso8859_2", "cp852"), "áčďéěíňóřšťúůýž"),
    ("Slovak", ("cp1250", "iso8859_2", "cp852"), "áäčďéíĺľňóôŕšťúýž"),
    ("Hungarian", ("cp1250", "iso8859_2", "cp852"), "áéíóöőúüű"),
    ("Romanian", ("cp1250", "iso8859_2", "cp852"), "ăâîşţșț"),
    ("Croatian or Slovene", ("cp1250", "iso8859_2", "cp852"), "čćđšž"),
    ("Portuguese", ("cp1252", "mac_roman", "cp850"), "ãõáéíóúâêôçàü"),
    ("Estonian", ("cp1257",), "äöõüšž"),
    ("Turkish", ("cp1254", "cp857"), "çğıöşüâîûi\u0307"),
    ("Lithuanian", ("cp1257",), "ąčęėįšųūž"),
    ("Latvian", ("cp1257",), "āčēģīķļņšūž"),
    ("Vietnamese", ("cp1258",), "àáâãèéêìíòóôõùúýăđơư\u0300\u0301\u0303\u0309\u0323"),
    ("Russian", ("cp1251", "koi8_r", "cp866", "iso8859_5"), "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё№"),
    ("Ukrainian", ("cp1251", "koi8_u"), "оаинівертскмлпудяьзгйбчхцжюїєшщфґ№"),
    ("Bulgarian", ("cp1251",), "аоиетнрсвлкдпмзяъгчубщжйхцшфюь№"),
    ("Serbian", ("cp1251",), "аоиенрсјтукдвпмлзгбћчшцжђхњфљџ"),
    ("Greek", ("cp1253", "iso8859_7", "cp737"), "αοιετσνηυρπκμλςάίόέήύώωδγχθφβξζψϊϋΐΰ"),
    ("Hebrew", ("cp1255",), "יוהלאתרבמשנםדחקפגכעטצזסןךףץ"),
    ("Arabic", ("cp1256",), "الينمتربوعدهسفحكقجةأشصطخىذزثضغظًٌٍَُِّْـ،؟؛إئءؤآ"),
    ("Thai", ("cp874",), "านรอกเงมยล่้วดทสตะปบค์หัแิีจพชขใไูุึโำืผธ็ณฟซถภศษญฉฎฐฝฮฆฤๆฯฬฑฏฒฅฃฌฦ๐๑๒๓๔๕๖๗๘๙"),
)
_LATIN = 20
"""So many alphabets above are Latin ones: few letters, all of them common."""
_COMMON_SHARE = 0.6
_RARITY = {"cp852": 0.03, "cp850": 0.04}
"""What the encodings of MS-DOS are worth less. Where both give the same letters, either is right."""
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

    @property
    def is_unicode(self) -> bool:
        return self.name.startswith("utf")

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
    return {encoding for _, encodings, _ in _ALPHABETS for encoding in encodings}


@lru_cache(maxsize=16)
def detect(sample: bytes, *, complete: bool) -> Encoding | None:
    """The encoding of the bytes at the beginning of a file (`complete`: of all of it); None where nothing fits well.
    UTF-8 with a few broken characters counts as UTF-8: whoever reads it says where it is damaged."""
    for mark, name in MARKS:
        if sample.startswith(mark):
            return Encoding(name)
    if wide := _without_mark(sample):
        return wide
    if not complete:
        sample = _whole_lines(sample)
    try:
        sample.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return UTF_8
    if _is_damaged_utf_8(sample):
        return UTF_8
    if any(byte in sample for byte in _CONTROL):
        return None  # no text at all
    header = [line for line in sample.splitlines()[:_HEADER_LINES] if not line.isascii()]
    sample = _telling_lines(sample)
    best, match = 0.0, None
    for score, encoding in _candidates(sample):
        sure = score + _NAME * _names_in(tuple(header), encoding.name)
        if sure >= _LEAST and sure > best + 1e-9:
            best, match = sure, encoding
    return match


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


def _candidates(sample: bytes) -> Iterator[tuple[float, Encoding]]:
    for language, name in _EAST_ASIAN:
        text = _decoded(sample, name)
        if text is not None:
            yield _east_asian_score(text, name), Encoding(name, language)
    texts = {name: _decoded(sample, name) for name in _single_bytes()}
    for position, (language, names, alphabet) in enumerate(_ALPHABETS):
        for place, name in enumerate(names):
            text = texts[name]
            if text is not None:
                # the first encoding of a language is by far the commonest
                rarity = _RARITY.get(name, 0.02 * place)
                score = _alphabet_score(text, alphabet, latin=position < _LATIN) - rarity
                yield score, Encoding(name, language)


def _decoded(sample: bytes, name: str) -> str | None:
    try:  # a character that the sample cuts in two at its end is no fault
        return codecs.getincrementaldecoder(name)().decode(sample)
    except UnicodeDecodeError:
        return None


def _alphabet_score(text: str, alphabet: str, *, latin: bool) -> float:
    common = alphabet if latin else alphabet[: int(len(alphabet) * _COMMON_SHARE)]
    weights = {**dict.fromkeys(alphabet, 0.45), **dict.fromkeys(common, 1.0)}
    counts = {c: n for c, n in Counter(text).items() if c > "\x7f" and c not in _PUNCTUATION}
    others = sum(counts.values())
    misplaced = len(_MISPLACED.findall(text))
    if not others:  # English with quotation marks and dashes, if they stand where such signs stand
        return 0.5 if misplaced else 0.98
    share = sum(weights.get(c.lower(), 0.0) * n for c, n in counts.items()) / (others + misplaced)
    words = Counter(word[:_LONGEST_WORD] for word in _ODD_CASE.findall(text) if not word.isascii())
    odd = sum(n for word, n in words.items() if any(a.islower() and b.isupper() for a, b in pairwise(word)))
    mixed = sum(n for word, n in words.items() if len({_script(character) for character in set(word)}) > 1)
    shouted = sum(n for c, n in counts.items() if c.isupper()) > others / 2
    alone = not latin and all(len(word) < 2 for word in words)  # of another script nobody writes single letters only
    return share - (odd + mixed) / max(1, words.total()) - 0.2 * shouted - 0.3 * alone


def _script(character: str) -> str:
    return unicodedata.name(character, "?").split()[0]


def _east_asian_score(text: str, name: str) -> float:
    """The share of characters that are common in the language the encoding was made for."""
    others = [character for character in text if character > "\x7f"]
    letters = [character for character in others if character not in _PUNCTUATION]
    if not letters:
        return 0.5
    rate = {"cp949": _korean, "cp932": _japanese, "euc_jp": _japanese, "gb18030": _simplified, "big5": _traditional}
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


def _simplified(character: str) -> float:
    if character in _CHINESE_IDEOGRAPHS:
        return 1.05
    code = _bytes(character, "gb2312")
    if len(code) != 2 or code[0] < 0xB0:
        return 0.0
    return 0.95 if code[0] <= 0xD7 else 0.4


def _traditional(character: str) -> float:
    if character in _CHINESE_IDEOGRAPHS:
        return 1.05
    code = _bytes(character, "big5")
    if len(code) != 2 or code[0] < 0xA4:
        return 0.0
    return 0.95 if code[0] <= 0xC6 else 0.3
