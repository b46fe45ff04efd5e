"""The only formatter of numbers, units, names, dates and sizes: pages, plots, command line and citations share it.

Numbers are rounded half-up (ties away from zero) from the exact decimal value of their RFC 8785 text, in integer
arithmetic: never from a binary fraction, which would print 0.125 as 0.12.  Everything here is pure and total for
JSON values; a number without an RFC 8785 text raises `ManifestError`.
"""

import math
import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache, lru_cache

from .canonical import number_text
from .errors import ContentError
from .values import dataclass

NO_BREAK_SPACE = "\u00a0"
"""Between a number and its unit."""
GROUP_SPACE = "\u202f"
"""Between groups of three digits (narrow no-break space)."""
LEADER = "–"
"""The gap of a leader to itself."""

# Power of ten that turns a unit of time into nanoseconds; micro is spelled with U+00B5, U+03BC or a plain u.
_NANOSECONDS = {"ns": 0, "us": 3, "\u00b5s": 3, "\u03bcs": 3, "ms": 6, "s": 9}
TIME_UNITS = tuple(_NANOSECONDS)
"""Every unit of time that is scaled and converted."""
_TIME_SCALES = (("\u00b5s", 3), ("ms", 6))
_HUGE = 10**21  # where RFC 8785 itself stops writing all the digits
_METRIC_FORMAT = re.compile(r"(fixed|ratio):([0-9]|1[0-9])|count|literal", re.ASCII)
_DIFFERENCE = Context(prec=21, rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as shown, and as it was stated."""

    number: str
    """Digits as shown, `530.1`; groups of three where all digits are kept."""
    unit: str
    """The unit as shown, `µs`; empty if there is none."""
    exact: str
    """The number's RFC 8785 text and the unit as stated, `530092 ns`."""

    @property
    def text(self) -> str:
        """Number and unit, joined by a no-break space."""
        return _with_unit(self.number, self.unit)


@lru_cache(maxsize=4096)
def quantity(value: int | float, unit: str | None) -> Quantity:
    """A measured value: times (ns, us, µs, ms, s) are scaled, other units keep every digit.

    A time is a whole number of ns below 1000, else in the first of µs, ms and s that shows less than 1000 (s without
    limit), with two decimals while that shows less than 10 and with one from there on.  A positive time that would
    show as 0 shows as `<1`.  From 1e21 s on nothing is scaled any more: the stated text is shown.
    """
    literal = number_text(value)
    stated = unit or ""
    exact = f"{literal} {stated}" if stated else literal
    power = _NANOSECONDS.get(stated)
    if power is None:
        return Quantity(_grouped(literal), stated, exact)
    coefficient, exponent = _decimal(literal)
    shown = _time(abs(coefficient), exponent + power)
    if shown is None:
        return Quantity(literal, stated, exact)
    number, shown_unit = shown
    if coefficient < 0:
        number = f">-{number[1:]}" if number[0] == "<" else f"-{number}"
    return Quantity(number, shown_unit, exact)


@lru_cache(maxsize=4096)
def metric_text(value: int | float, format: str, unit: str | None = None) -> str:
    """A source's own metric in the form that its table asks for.

    `fixed:N` has N decimals, `ratio:N` N decimals and `×` for its unit, `count` and `literal` keep every digit in
    groups of three, and so does every number from 1e21 on.  Raises `ContentError` for another format.
    """
    kind, places = _metric_format(format)
    literal = number_text(value)
    if kind in ("count", "literal") or abs(value) >= _HUGE:
        return _with_unit(_grouped(literal), unit or "")
    coefficient, exponent = _decimal(literal)
    rounded = _scaled(abs(coefficient), exponent, places)
    digits = ("-" if coefficient < 0 and rounded else "") + _point(rounded, places)
    return f"{digits}×" if kind == "ratio" else _with_unit(digits, unit or "")


def is_metric_format(format: str) -> bool:
    """Whether `metric_text` knows this format."""
    return _METRIC_FORMAT.fullmatch(format) is not None


@lru_cache(maxsize=4096)
def gap_text(value: int | float, leader: int | float, better: str) -> str:
    """How far a value is behind the leader's; `better` is `lower` or `higher`.

    `–` for the leader and its equals; `+0.55 %` below 10 %, `+55.5 %` below 100 %, then `×2.41`, from tenfold `×84.6`.
    A value better than the leader's has a minus sign.  Where a ratio says nothing (a value of zero or less) it is the
    plain difference, positive when behind.
    """
    if value == leader:
        return LEADER
    if not has_ratio(value, leader):
        return _difference(value, leader, better)
    (top, up), (bottom, down) = _decimal(number_text(value)), _decimal(number_text(leader))
    if better == "higher":
        top, up, bottom, down = bottom, down, top, up
    return _ratio_gap(top * 10 ** max(up - down, 0), bottom * 10 ** max(down - up, 0))


def gap_position(value: int | float, leader: int | float, better: str) -> float:
    """Place of a gap on the site's one gap scale: 0 for the leader, 1 from a hundredfold on.

    `log10(1 + 1000·g) / 5`, g the fraction behind the leader: linear below 0.1 %, logarithmic above.  Values without a
    ratio (`has_ratio`) have no place on it; they come out at the ends.
    """
    behind = value - leader if better != "higher" else leader - value
    if behind <= 0:
        return 0.0
    if not has_ratio(value, leader):
        return 1.0
    # Divided first: a difference times 1000 could overflow where the fraction does not.
    excess = behind / (leader if better != "higher" else value)
    return min(1.0, math.log10(1 + 1000 * excess) / 5)


def margin_text(value: int | float, leader: int | float, better: str) -> str:
    """`gap_text` as a size, without the sign of what lies behind: `0.55 %`, `<0.01 %`, `×2.41`."""
    text = gap_text(value, leader, better)
    return f"<{text[2:]}" if text.startswith("<+") else text.removeprefix("+")


@lru_cache(maxsize=4096, typed=True)
def same_time(value: int | float, unit: str | None, other: int | float, other_unit: str | None) -> bool:
    """Whether two figures are one time in units of `TIME_UNITS`, converted exactly; False for other units.

    Whole nanoseconds may be rounded from a longer literal: against an `other` in ns, half a nanosecond counts as none.
    """
    power, other_power = _NANOSECONDS.get(unit or ""), _NANOSECONDS.get(other_unit or "")
    if power is None or other_power is None:
        return False
    coefficient, exponent = _decimal(number_text(value))
    if other_power == 0 and isinstance(other, int) and 0 <= value < _HUGE:
        return bool(_scaled(coefficient, exponent + power, 0) == other)
    other_coefficient, other_exponent = _decimal(number_text(other))
    shift = exponent + power - other_exponent - other_power
    left, right = coefficient * 10 ** max(shift, 0), other_coefficient * 10 ** max(-shift, 0)
    return bool(left == right)


def upper_first(text: str) -> str:
    """The text with its first letter in upper case, the others as they are."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The text with its first letter in lower case, unless its first word is an acronym."""
    return text if text[1:2].isupper() or text[1:2].isdigit() else text[:1].lower() + text[1:]


def has_ratio(value: int | float, leader: int | float) -> bool:
    """Whether the gap between two values can be a ratio: both are positive."""
    return value > 0 and leader > 0


def count_text(count: int) -> str:
    """A count in groups of three: `7 857`, with U+202F."""
    return f"{count:,}".replace(",", GROUP_SPACE)


def file_size(n_bytes: int) -> str:
    """A size in B, kB, MB or GB (powers of 1000), with one decimal from kB on: `1.4 MB`."""
    if n_bytes < 1000:
        return f"{n_bytes}{NO_BREAK_SPACE}B"
    for unit, power in (("kB", 3), ("MB", 6)):
        tenths = _scaled(n_bytes, -power, 1)
        if tenths < 10_000:
            return f"{_point(tenths, 1)}{NO_BREAK_SPACE}{unit}"
    return f"{_point(_scaled(n_bytes, -9, 1), 1)}{NO_BREAK_SPACE}GB"


def date_text(instant: str) -> str:
    """The UTC date of an instant: `2026-04-14`."""
    return instant[:10]


# --- names ------------------------------------------------------------------------------------------------------------

# Words of the field that are not written in lower case.  Only words that mean nothing else: `clip` is a verb first.
_SPELLINGS = """
    2D 3D AdamW ALiBi AllGather AllReduce AltUp AMD BatchNorm BERT BF16 BLAS CNN ConvNeXt ConvNeXtV2 CPU cuBLAS CUDA
    cuDNN CUTLASS DeepGEMM DeepSeek DeltaNet DiT DSA E2M1 E4M3 E5M2 E8M0 ELU FFN FFT FLUX FP4 FP6 FP8 FP16 FP32 FP64
    Gaussian GDN GeGLU GELU GEMM GEMMs GEMV GLU GPT GPU GQA GRN GroupNorm GRU HQ INT4 INT8 INT32 InstanceNorm IoU KV
    LayerNorm LM LoRA LSTM Mamba Mamba2 MHA MLA MLP MoE MQA MTP MXFP4 MXFP6 MXFP8 NCHW NeoX NF4 NHWC NVFP4 NVIDIA QK QKV
    ReduceScatter ReGLU ReLU ResNet RFFT RGB RMS RMSNorm RNN RoPE SAM SDPA SGD SiLU SSD SSM SSU SVD SwiGLU TF32 TopK
    TriMul TRTLLM UNet VAE ViT VLM Whisper YaRN
    """
_OTHERS = re.compile("[^a-z0-9]+")
_TERMS = {term.lower(): term for term in _SPELLINGS.split()}


@lru_cache(maxsize=8192)
def operation_name(raw: str) -> str:
    """A source's raw operation name for readers; a name with a space is written for readers already.

    A leading number goes, underscores become spaces, known terms get their case back:
    `003_grouped_query_attention_with_rope_backward` is `Grouped query attention with RoPE backward`.  Hyphens become
    spaces only in a name that is all lower case and has no underscore (`amd-fp8-mm`).
    """
    if " " in raw:
        return raw
    words = [word for word in re.sub(r"\A[0-9]+_", "", raw).split("_") if word]
    if len(words) == 1 and words[0] == words[0].lower():
        words = [word for word in words[0].split("-") if word]
    return _sentence(words) or raw


def family_name(slug: str) -> str:
    """The name of a family of operations: `gqa-paged` is `GQA paged`, `rmsnorm` is `RMSNorm`."""
    return slug if " " in slug else _sentence([word for word in re.split("[-_]", slug) if word]) or slug


def implementation_name(title: str, operation_raw: str | tuple[str, ...], fallback: str) -> str:
    """What an implementation's title says beside the name of its operation; `fallback` if it says nothing else.

    `AKO · 003_…` is `AKO`, `causal_conv1d · submission 555004` is `submission 555004`.  A part of the title goes if its
    kebab form is that of a name of the operation (raw name, slug; several may be given), contains it (from six
    characters on), or is the tail of it after a hyphen.
    """
    names = (operation_raw,) if isinstance(operation_raw, str) else operation_raw
    keys = [key for name in names if (key := kebab(name))]
    parts = [part for part in title.split(" · ") if part.strip() and not _is_named(kebab(part), keys)]
    return " · ".join(parts) or fallback


@lru_cache(maxsize=8192)
def kebab(text: str) -> str:
    """Lower case, every run of other characters than a–z and 0–9 one hyphen, trimmed, cut at 100; may be empty."""
    return _OTHERS.sub("-", text.lower()).strip("-")[:100].rstrip("-")


def _sentence(words: list[str]) -> str:
    shown = ["-".join(_TERMS.get(part.lower(), part) for part in word.split("-")) for word in words]
    if shown and shown[0].islower():
        shown[0] = shown[0][0].upper() + shown[0][1:]
    return " ".join(shown)


def _is_named(part: str, keys: list[str]) -> bool:
    return any(part == key or (len(key) >= 6 and key in part) or key.endswith(f"-{part}") for key in keys)


# --- characters that hide ---------------------------------------------------------------------------------------------

# Control and format characters, line separators, lone surrogates, fillers, variation selectors, non-characters and the
# plane of tags.  Written out, so that the Unicode version of the interpreter changes no page.
_HIDDEN = (
    "\\0-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}-{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
)
_PICTOGRAPH = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2934\u2935\u2b00-\u2bff\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_EMOJI = f"{_PICTOGRAPH}[\U0001f3fb-\U0001f3ff]?[\ufe0e\ufe0f]?"
_FLAGS = ("gbeng", "gbsct", "gbwls")  # England, Scotland, Wales: the only emoji that are spelled with tags
_FLAG_TAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in _FLAGS)


@cache
def _hidden() -> re.Pattern[str]:
    # Compiled when the first name beyond ASCII comes: a command that only prints its help should not wait for it.
    return re.compile(f"[{_HIDDEN}]")


@cache
def _emoji_or_hidden() -> re.Pattern[str]:
    # Joiners and selectors are kept where they make one emoji of several characters, and nowhere else.
    joined = f"{_EMOJI}(?:\u200d{_EMOJI})*"
    return re.compile(f"(?P<emoji>\U0001f3f4(?:{_FLAG_TAGS})\U000e007f|[0-9#*]\ufe0f\u20e3|{joined})|[{_HIDDEN}]")


def visible(text: str) -> str:
    """Untrusted text with its bidi controls and invisible characters written out: `⟨U+202E⟩`.

    Joiners and variation selectors inside an emoji sequence stay, because they are what makes the emoji.
    """
    if (text.isascii() and text.isprintable()) or not _hidden().search(text):
        return text
    return _emoji_or_hidden().sub(_write_out, text)


def _write_out(match: re.Match[str]) -> str:
    return match[0] if match["emoji"] else f"⟨U+{ord(match[0]):04X}⟩"


# --- exact decimals: value = coefficient · 10^exponent ----------------------------------------------------------------


def _decimal(literal: str) -> tuple[int, int]:
    mantissa, _, exponent = literal.partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction), int(exponent or 0) - len(fraction)


def _scaled(coefficient: int, exponent: int, places: int) -> int:
    """A non-negative decimal times 10^places, rounded half-up to an integer."""
    shift = exponent + places
    return coefficient * 10**shift if shift >= 0 else _half_up(coefficient, 10**-shift)


def _half_up(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)


def _point(scaled: int, places: int) -> str:
    """The text of `scaled / 10^places` with all its places."""
    if not places:
        return str(scaled)
    digits = str(scaled).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _time(coefficient: int, exponent: int) -> tuple[str, str] | None:
    """Number and unit for a non-negative time in ns; None for one too large to be written out."""
    whole = _scaled(coefficient, exponent, 0)
    if whole < 1000:
        return ("<1" if coefficient and not whole else str(whole)), "ns"
    for unit, power in _TIME_SCALES:
        if (number := _three_digits(coefficient, exponent - power)) is not None:
            return number, unit
    if whole >= _HUGE * 10**9:
        return None
    return _three_digits(coefficient, exponent - 9) or _point(_scaled(coefficient, exponent - 9, 1), 1), "s"


def _three_digits(coefficient: int, exponent: int) -> str | None:
    """Two decimals while that shows less than 10, one while it shows less than 1000, else None."""
    hundredths = _scaled(coefficient, exponent, 2)
    if hundredths < 1000:
        return _point(hundredths, 2)
    tenths = _scaled(coefficient, exponent, 1)
    return _point(tenths, 1) if tenths < 10_000 else None


def _ratio_gap(numerator: int, denominator: int) -> str:
    """The text of numerator / denominator as a gap; both positive, and not equal."""
    sign = "+" if numerator > denominator else "-"
    excess = abs(numerator - denominator) * 100
    hundredths = _half_up(excess * 100, denominator)
    if hundredths == 0:
        return ("<+" if sign == "+" else ">-") + f"0.01{NO_BREAK_SPACE}%"
    if hundredths < 1000:
        return f"{sign}{_point(hundredths, 2)}{NO_BREAK_SPACE}%"
    tenths = _half_up(excess * 10, denominator)
    if tenths < 1000 or sign == "-":
        return f"{sign}{_point(tenths, 1)}{NO_BREAK_SPACE}%"
    return _times(numerator, denominator)


def _times(numerator: int, denominator: int) -> str:
    hundredths = _half_up(numerator * 100, denominator)
    if hundredths < 1000:
        return f"×{_point(hundredths, 2)}"
    tenths = _half_up(numerator * 10, denominator)
    # Beyond a millionfold the digits say nothing and a hostile dump could ask for hundreds of them.
    return f"×{_grouped(_point(tenths, 1))}" if tenths < 10_000_000 else f">×{count_text(1_000_000)}"


def _difference(value: int | float, leader: int | float, better: str) -> str:
    behind = _DIFFERENCE.subtract(Decimal(number_text(value)), Decimal(number_text(leader)))
    if better == "higher":
        behind = -behind
    plain = f"{behind.normalize(_DIFFERENCE):f}" if -7 < behind.adjusted() < 21 else str(behind).lower()
    return _grouped(plain if behind < 0 else f"+{plain}")


@lru_cache(maxsize=256)
def _metric_format(format: str) -> tuple[str, int]:
    match = _METRIC_FORMAT.fullmatch(format)
    if match is None:
        raise ContentError(
            "metric-format", f"{format!r} is not a metric format", hint="use fixed:N, ratio:N, count or literal"
        )
    return (match[1], int(match[2])) if match[1] else (format, 0)


def _grouped(literal: str) -> str:
    """A number's text with U+202F between groups of three in its integer part; exponent forms stay as they are."""
    if "e" in literal:
        return literal
    whole, point, fraction = literal.partition(".")
    sign = whole[0] if whole[0] in "+-" else ""
    return f"{sign}{count_text(int(whole[len(sign) :]))}{point}{fraction}"


def _with_unit(number: str, unit: str) -> str:
    return f"{number}{NO_BREAK_SPACE}{unit}" if unit else number
