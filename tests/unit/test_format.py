"""The one formatter: every number is checked against decimal arithmetic that shares no code with it."""

import io
import json
import math
import random
import re
import sys
import unicodedata
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from leaderpress.canonical import number_text
from leaderpress.errors import ContentError, ManifestError
from leaderpress.format import (
    Quantity,
    count_text,
    date_text,
    family_name,
    file_size,
    gap_position,
    gap_text,
    has_ratio,
    implementation_name,
    is_metric_format,
    kebab,
    margin_text,
    metric_text,
    operation_name,
    quantity,
    same_time,
    visible,
)

NBSP, NNBSP = "\u00a0", "\u202f"

# --- the oracle: the design's rules in decimal arithmetic -----------------------------------------------------------

NANOSECONDS = {"ns": 0, "us": 3, "µs": 3, "\u03bcs": 3, "ms": 6, "s": 9}


EXACT = Context(prec=1000, rounding=ROUND_HALF_UP)


def rounded(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), context=EXACT)


def expected_time(value: float, unit: str) -> str:
    """Number and unit of a non-negative time."""
    ns = Decimal(number_text(value)).scaleb(NANOSECONDS[unit], EXACT)
    if rounded(ns, 0) < 1000:
        return "<1 ns" if rounded(ns, 0) == 0 and ns > 0 else f"{rounded(ns, 0)} ns"
    for shown, power in (("µs", 3), ("ms", 6), ("s", 9)):
        scaled = ns.scaleb(-power, EXACT)
        text = rounded(scaled, 2) if rounded(scaled, 2) < 10 else rounded(scaled, 1)
        if text < 1000 or shown == "s":
            return f"{text:f} {shown}"
    raise AssertionError


def plain(text: str) -> str:
    return text.replace(NBSP, " ").replace(NNBSP, "'")


# --- times ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (530092, "ns", "530.1 µs"),
        (0, "ns", "0 ns"),
        (-0.0, "ns", "0 ns"),
        (1, "ns", "1 ns"),
        (0.5, "ns", "1 ns"),
        (0.49999, "ns", "<1 ns"),
        (5e-324, "s", "<1 ns"),
        (1.5, "ns", "2 ns"),
        (2.5, "ns", "3 ns"),
        (999, "ns", "999 ns"),
        (999.499, "ns", "999 ns"),
        (999.5, "ns", "1.00 µs"),
        (999.652, "ns", "1.00 µs"),
        (1000, "ns", "1.00 µs"),
        (1005, "ns", "1.01 µs"),  # a float would give 1.00
        (1015, "ns", "1.02 µs"),
        (7810, "ns", "7.81 µs"),
        (9994, "ns", "9.99 µs"),
        (9995, "ns", "10.0 µs"),
        (9999, "ns", "10.0 µs"),
        (10049, "ns", "10.0 µs"),
        (10050, "ns", "10.1 µs"),
        (12250, "ns", "12.3 µs"),
        (999949, "ns", "999.9 µs"),
        (999950, "ns", "1.00 ms"),
        (1420000, "ns", "1.42 ms"),
        (999949999, "ns", "999.9 ms"),
        (999950000, "ns", "1.00 s"),
        (999999999, "ns", "1.00 s"),
        (61_500_000_000, "ns", "61.5 s"),
        (1_234_567_890_123, "ns", "1234.6 s"),
        (2**53 - 1, "ns", "9007199.3 s"),
        (0.530092, "ms", "530.1 µs"),
        (0.094968, "ms", "95.0 µs"),
        (7.8, "us", "7.80 µs"),
        (7.8, "µs", "7.80 µs"),
        (7.8, "\u03bcs", "7.80 µs"),
        (1.0048658277929109e-05, "s", "10.0 µs"),
        (0.000012345, "s", "12.3 µs"),
        (3600, "s", "3600.0 s"),
        (999.95, "s", "1000.0 s"),
        (1e20, "s", "100000000000000000000.0 s"),
        (1e21, "s", "1e+21 s"),
        (1e30, "ns", "1e+30 ns"),
        (9.99e29, "ns", "999000000000000000000.0 s"),
        (1.7976931348623157e308, "ms", "1.7976931348623157e+308 ms"),
        (-530092, "ns", "-530.1 µs"),
        (-12250, "ns", "-12.3 µs"),
        (-0.4, "ns", ">-1 ns"),
        (-0.5, "ns", "-1 ns"),
        (-1e30, "ns", "-1e+30 ns"),
    ],
)
def test_a_time_is_shown_in_the_unit_and_with_the_digits_of_the_design(value: float, unit: str, text: str) -> None:
    assert plain(quantity(value, unit).text) == text


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (530092, "ns", Quantity("530.1", "µs", "530092 ns")),
        (0.530092, "ms", Quantity("530.1", "µs", "0.530092 ms")),
        (8.0, "us", Quantity("8.00", "µs", "8 us")),
        (1e-7, "s", Quantity("100", "ns", "1e-7 s")),
        (0.2, "ns", Quantity("<1", "ns", "0.2 ns")),
        (1234567.5, "tokens/s", Quantity(f"1{NNBSP}234{NNBSP}567.5", "tokens/s", "1234567.5 tokens/s")),
        (42, None, Quantity("42", "", "42")),
        (42, "", Quantity("42", "", "42")),
    ],
)
def test_a_quantity_keeps_its_number_and_unit_as_stated(value: float, unit: str | None, shown: Quantity) -> None:
    assert quantity(value, unit) == shown


def test_number_and_unit_are_joined_by_a_no_break_space_and_micro_is_one_character() -> None:
    assert quantity(530092, "ns").text == "530.1\u00a0\u00b5s"
    assert quantity(0.1, "ns").text == "<1\u00a0ns"
    assert quantity(7, None).text == "7"


def times_to_try() -> Iterator[tuple[float, str]]:
    rng = random.Random(32)
    yield from ((value, "ns") for value in range(12_000))
    for unit in NANOSECONDS:
        for _ in range(1_000):
            yield rng.randrange(1 << rng.randrange(1, 53)), unit
            yield rng.random() * 10.0 ** rng.randrange(-12, 12), unit
            # Where rounding turns: few digits that end in 5, and their neighbours among the doubles.
            turn = float(f"{rng.randrange(1, 10**4)}5e{rng.randrange(-12, 6)}")
            yield from ((near, unit) for near in (turn, math.nextafter(turn, 0), math.nextafter(turn, math.inf)))
            yield float(f"999{rng.choice((4, 5, 9))}{rng.randrange(10**3)}e{rng.randrange(-12, 6)}"), unit


def test_random_times_are_rounded_as_decimal_arithmetic_rounds_them() -> None:
    tried = 0
    for value, unit in times_to_try():
        tried += 1
        assert plain(quantity(value, unit).text) == expected_time(value, unit), (value, unit)
        if value and Decimal(number_text(value)).scaleb(NANOSECONDS[unit]) >= Decimal("0.5"):
            assert plain(quantity(-value, unit).text) == f"-{expected_time(value, unit)}", (value, unit)
    assert tried == 12_000 + 6 * 6 * 1_000


# --- other units ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "GB", "0 GB"),
        (999, "GB", "999 GB"),
        (1000, "GB", "1'000 GB"),
        (-1234567, None, "-1'234'567"),
        (-123, None, "-123"),
        (1234.56789, "MB/s", "1'234.56789 MB/s"),
        (0.523033, None, "0.523033"),
        (1e-7, None, "1e-7"),
        (-1.5e-9, "V", "-1.5e-9 V"),
        (1e25, "B", "1e+25 B"),
        (1e20, "B", "100'000'000'000'000'000'000 B"),
        (52.3, "%", "52.3 %"),
        (90, "min", "90 min"),
    ],
)
def test_other_units_keep_every_digit_in_groups_of_three(value: float, unit: str | None, text: str) -> None:
    shown = quantity(value, unit)
    assert plain(shown.text) == text
    assert shown.number.replace(NNBSP, "") == number_text(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**53])
def test_a_number_without_a_canonical_text_is_refused(value: float) -> None:
    for unit in ("ns", None):
        with pytest.raises(ManifestError):
            quantity(value, unit)
    with pytest.raises(ManifestError):
        metric_text(value, "fixed:2")


# --- metrics of a source --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "form", "unit", "text"),
    [
        (0.523033, "fixed:4", None, "0.5230"),
        (1.1327, "ratio:2", None, "1.13×"),
        (0.125, "fixed:2", None, "0.13"),  # half-up; to even it would be 0.12
        (2.675, "fixed:2", None, "2.68"),  # the double is below 2.675, its text is not
        (1.005, "ratio:2", None, "1.01×"),
        (0.045, "fixed:2", "s", "0.05 s"),
        (99.995, "fixed:2", "%", "100.00 %"),
        (7, "fixed:0", None, "7"),
        (0.5, "fixed:0", None, "1"),
        (1e-7, "fixed:4", None, "0.0000"),
        (-0.125, "fixed:2", None, "-0.13"),
        (-0.001, "fixed:2", None, "0.00"),
        (12345.6, "fixed:1", None, "12345.6"),
        (1e22, "fixed:2", None, "1e+22"),
        (8, "count", None, "8"),
        (12345, "count", "cases", "12'345 cases"),
        (16.0, "count", None, "16"),
        (1234.5678, "literal", None, "1'234.5678"),
        (0.1, "fixed:19", None, "0.1000000000000000000"),
    ],
)
def test_a_metric_is_shown_in_the_form_that_its_source_asks_for(
    value: float, form: str, unit: str | None, text: str
) -> None:
    assert plain(metric_text(value, form, unit)) == text


@pytest.mark.parametrize(
    "form", ["", "fixed", "fixed:", "fixed:-1", "fixed:20", "ratio:x", "fixed:٣", "percent", "count:2"]
)
def test_another_form_is_refused(form: str) -> None:
    assert not is_metric_format(form)
    with pytest.raises(ContentError):
        metric_text(1, form)


def test_every_form_that_is_known_is_used() -> None:
    for form in ("fixed:0", "fixed:19", "ratio:2", "count", "literal"):
        assert is_metric_format(form)
        assert metric_text(1, form)


# --- gaps -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "leader", "better", "text"),
    [
        (530092, 530092, "lower", "–"),
        (8, 8.0, "higher", "–"),
        (1005.5, 1000, "lower", "+0.55 %"),
        (1099.94, 1000, "lower", "+9.99 %"),
        (1099.95, 1000, "lower", "+10.0 %"),
        (1123, 1000, "lower", "+12.3 %"),
        (1999.4, 1000, "lower", "+99.9 %"),
        (1999.5, 1000, "lower", "×2.00"),
        (2410, 1000, "lower", "×2.41"),
        (9994, 1000, "lower", "×9.99"),
        (9995, 1000, "lower", "×10.0"),
        (84600, 1000, "lower", "×84.6"),
        (1234560, 1000, "lower", "×1'234.6"),
        (1e300, 1e-300, "lower", ">×1'000'000"),
        (1000.01, 1000, "lower", "<+0.01 %"),
        (1000.05, 1000, "lower", "+0.01 %"),
        (999.99, 1000, "lower", ">-0.01 %"),
        (900, 1000, "lower", "-10.0 %"),
        (990, 1000, "lower", "-1.00 %"),
        (1e-300, 1e300, "lower", "-100.0 %"),
        (50, 100, "higher", "×2.00"),
        (80, 100, "higher", "+25.0 %"),
        (100, 80, "higher", "-20.0 %"),
        (0, 5, "lower", "-5"),
        (5, 0, "lower", "+5"),
        (-0.3, -0.1, "higher", "+0.2"),
        (0.1, -0.2, "lower", "+0.3"),  # exact, where binary floating point has 0.30000000000000004
        (-1200, 34.5, "higher", "+1'234.5"),
        (1e308, -1e308, "lower", "+2e+308"),
        (0, 1e-9, "lower", "-1e-9"),
    ],
)
def test_a_gap_is_written_as_the_design_writes_it(value: float, leader: float, better: str, text: str) -> None:
    assert plain(gap_text(value, leader, better)) == text


def expected_gap(value: float, leader: float, better: str) -> str:
    top, bottom = (Fraction(number_text(number)) for number in (value, leader))
    ratio = top / bottom if better == "lower" else bottom / top

    def half_up(number: Fraction, places: int) -> Fraction:
        return Fraction(math.floor(number * 10**places + Fraction(1, 2)), 10**places)

    percent = abs(ratio - 1) * 100
    sign = "+" if ratio > 1 else "-"
    if half_up(percent, 2) == 0:
        return "<+0.01 %" if ratio > 1 else ">-0.01 %"
    if half_up(percent, 2) < 10:
        return f"{sign}{float(half_up(percent, 2)):.2f} %"
    if half_up(percent, 1) < 100 or ratio < 1:
        return f"{sign}{float(half_up(percent, 1)):.1f} %"
    if half_up(ratio, 2) < 10:
        return f"×{float(half_up(ratio, 2)):.2f}"
    return f"×{float(half_up(ratio, 1)):.1f}"


def test_random_gaps_are_rounded_from_the_exact_ratio() -> None:
    rng = random.Random(84)
    for _ in range(8_000):
        leader = rng.choice((rng.randrange(1, 10**6), rng.randrange(1, 10**4) / 1000, rng.random() + 0.01))
        factor = rng.choice((1.0005, 1.055, 1.5, 1.9995, 2.5, 9.995, 84.6, 0.7, rng.uniform(0.5, 12)))
        value = rng.choice((leader * factor, round(leader * factor) or 1))
        for better in ("lower", "higher"):
            if Fraction(number_text(value)) != Fraction(number_text(leader)) and 0.001 < value / leader < 900:
                assert plain(gap_text(value, leader, better)) == expected_gap(value, leader, better), (value, leader)


@pytest.mark.parametrize(
    ("factor", "percent"),
    [
        (1, 0.0),
        (1.001, 6.02),
        (1.01, 20.83),
        (1.1, 40.09),
        (2, 60.01),
        (10, 79.09),
        (100, 99.91),
        (101, 100),
        (1e9, 100),
    ],
)
def test_the_ticks_of_the_gap_scale_stand_where_the_design_puts_them(factor: float, percent: float) -> None:
    assert round(100 * gap_position(1000 * factor, 1000, "lower"), 2) == percent
    assert round(100 * gap_position(1000, 1000 * factor, "higher"), 2) == percent


def test_the_gap_scale_is_clamped_and_never_fails() -> None:
    values = [0, -1, 1, 5e-324, 1e308, -1e308, 2**53 - 1, 1.5]
    for value in values:
        for leader in values:
            for better in ("lower", "higher"):
                assert 0.0 <= gap_position(value, leader, better) <= 1.0
                assert (gap_text(value, leader, better) == "–") == (value == leader)
    assert gap_position(900, 1000, "lower") == 0.0
    assert not has_ratio(0, 1)
    assert not has_ratio(1, -1)
    assert has_ratio(1, 5e-324)


# --- counts, sizes, dates -------------------------------------------------------------------------------------------


def test_counts_are_grouped_by_threes() -> None:
    assert [plain(count_text(count)) for count in (0, 999, 1000, 7857, 1234567)] == [
        "0", "999", "1'000", "7'857", "1'234'567"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1050, "1.1 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (17_500_000, "17.5 MB"),
        (999_950_000, "1.0 GB"),
        (2_000_000_000_000, "2000.0 GB"),
    ],
)
def test_sizes_have_one_decimal(size: int, text: str) -> None:
    assert plain(file_size(size)) == text


def test_a_date_is_the_utc_date_of_the_instant() -> None:
    assert date_text("2026-04-14T23:38:30.072Z") == "2026-04-14"
    assert date_text("2026-04-14") == "2026-04-14"


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("003_grouped_query_attention_with_rope_backward", "Grouped query attention with RoPE backward"),
        ("001_fp8_attention_output_projection", "FP8 attention output projection"),
        ("013_fp8_mla_kv_compression_projection", "FP8 MLA KV compression projection"),
        ("002_vae_conv3x3_groupnorm_silu_residual_fused", "VAE conv3x3 GroupNorm SiLU residual fused"),
        (
            "027_grouped_query_attention_with_yarn_rope_and_qk_norm",
            "Grouped query attention with YaRN RoPE and QK norm",
        ),
        ("040_conv2d_residual_block", "Conv2d residual block"),
        ("079_ImageNet_83.6_ssm_output_projection", "ImageNet 83.6 SSM output projection"),
        ("051_seqlen-finetuned-reconstructed_hyena_block", "Seqlen-finetuned-reconstructed hyena block"),
        ("gemm_fp4_e2m1_n2048_k2048", "GEMM FP4 E2M1 n2048 k2048"),
        ("mla_paged_decode_h16_ckv512_kpe64_ps1", "MLA paged decode h16 ckv512 kpe64 ps1"),
        ("020_moe_fp8_block_scale_ds_routing_topk8_ng8", "MoE FP8 block scale ds routing topk8 ng8"),
        ("amd-fp8-mm", "AMD FP8 mm"),
        ("vectoradd_v2", "Vectoradd v2"),
        ("trimul", "TriMul"),
        ("rope", "RoPE"),
        ("FP16 vector addition", "FP16 vector addition"),
        ("Gated DeltaNet chunk_fwd_h", "Gated DeltaNet chunk_fwd_h"),
        ("Llama-3-8B", "Llama-3-8B"),
        ("gradient_clip", "Gradient clip"),
        ("2d_conv", "2D conv"),
        ("2_layer__mlp_", "Layer MLP"),
        ("123", "123"),
        ("123_", "123_"),
        ("___", "___"),
        ("-", "-"),
        ("", ""),
        ("élan_vital", "Élan vital"),
        ("我爱拆拆", "我爱拆拆"),
        ("١٢_x", "١٢ x"),  # only ASCII digits are a leading number
    ],
)
def test_an_operation_is_named_for_readers(raw: str, name: str) -> None:
    assert operation_name(raw) == name


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("gqa-paged", "GQA paged"),
        ("rmsnorm", "RMSNorm"),
        ("mla-paged-attention", "MLA paged attention"),
        ("mamba-ssu", "Mamba SSU"),
        ("uncategorized", "Uncategorized"),
        ("gated-deltanet", "Gated DeltaNet"),
        ("Already named", "Already named"),
        ("", ""),
        ("-", "-"),
    ],
)
def test_a_family_is_named_for_readers(slug: str, name: str) -> None:
    assert family_name(slug) == name


@pytest.mark.parametrize(
    ("title", "operation", "fallback", "name"),
    [
        ("AKO · 003_grouped_query_attention", "003_grouped_query_attention", "x", "AKO"),
        (
            "causal_conv1d · submission 555004",
            ("Causal depthwise conv1d", "gpumode-causal-conv1d"),
            "x",
            "submission 555004",
        ),
        ("modal_nvfp4_dual_gemm · submission 382077", "NVFP4 dual GEMM", "x", "submission 382077"),
        ("AKO · 003_x_y_z_q · B200", "003_x_y_z_q", "x", "AKO · B200"),
        ("torch_matmul_317103", "gemm_n128_k2048", "x", "torch_matmul_317103"),
        ("rmsnorm_h128", "rmsnorm_h128", "flashinfer rmsnorm", "flashinfer rmsnorm"),
        ("我爱拆拆 · 003_gemm_x", "003_gemm_x", "x", "我爱拆拆"),
        ("TH3CHARLie | TileGym · 082_qk_norm", "082_qk_norm", "x", "TH3CHARLie | TileGym"),
        (
            "my sort tool · submission 1",
            "sort",
            "x",
            "my sort tool · submission 1",
        ),  # "sort" is too short to search for
        ("sort · submission 1", "sort", "x", "submission 1"),
        ("AKO", "我爱", "x", "AKO"),
        ("", "a", "x", "x"),
        (" ·  · ", "a", "x", "x"),
    ],
)
def test_an_implementation_is_named_without_its_operation(
    title: str, operation: str | tuple[str, ...], fallback: str, name: str
) -> None:
    assert implementation_name(title, operation, fallback) == name


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("003_Grouped Query", "003-grouped-query"),
        ("  --A/B--  ", "a-b"),
        ("ÀÉ", ""),
        ("naïve", "na-ve"),
        ("\u212aelvin", "kelvin"),  # the Kelvin sign is a k in lower case
        ("a" * 99 + "_b", "a" * 99),
        ("a" * 150, "a" * 100),
        ("我爱拆拆", ""),
        ("x²", "x"),
    ],
)
def test_kebab_keeps_only_ascii_letters_and_digits(text: str, slug: str) -> None:
    assert kebab(text) == slug


# --- characters that hide -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gpt-4\u202e4-tpg", "gpt-4⟨U+202E⟩4-tpg"),
        ("a\u200bb\ufeffc\u00add", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+00AD⟩d"),
        ("line\nbreak\ttab\x00\x7f\x85", "line⟨U+000A⟩break⟨U+0009⟩tab⟨U+0000⟩⟨U+007F⟩⟨U+0085⟩"),
        ("a\U000e0041b", "a⟨U+E0041⟩b"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("a\ufe0fb", "a⟨U+FE0F⟩b"),
        ("👍\u200d", "👍⟨U+200D⟩"),
        ("\u200d👍", "⟨U+200D⟩👍"),
        ("👍\u200dx", "👍⟨U+200D⟩x"),
        ("❤\ufe0f\ufe0f", "❤\ufe0f⟨U+FE0F⟩"),
        ("👍\u200d\u200d👍", "👍⟨U+200D⟩⟨U+200D⟩👍"),
        ("🏴\U000e0068\U000e0069\U000e007f", "🏴⟨U+E0068⟩⟨U+E0069⟩⟨U+E007F⟩"),  # tags can spell hidden text
        ("1\ufe0f", "1⟨U+FE0F⟩"),
        ("\ud800", "⟨U+D800⟩"),
        ("", ""),
    ],
)
def test_a_hidden_character_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "AKO · 003_grouped_query_attention",
        "TH3CHARLie | TileGym 100 % <b>&",
        "我爱拆拆 南北绿豆糕　全角",
        "Zażółć gęślą jaźń e\u0301",
        "עברית العربية हिन्दी",
        "👩\u200d👩\u200d👧\u200d👦 🧑🏽\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥 🐈\u200d⬛ 👁\ufe0f\u200d🗨\ufe0f",
        "🏃🏿\u200d♀\ufe0f\u200d➡\ufe0f 🧔\u200d♂\ufe0f ⚠\ufe0e ©\ufe0f ™\ufe0f 1\ufe0f\u20e3 #\ufe0f\u20e3 🇩🇪 👍🏽",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f 🏴\u200d☠\ufe0f",
        "a\u00a0b\u202fc",
    ],
)
def test_honest_text_is_left_alone(text: str) -> None:
    assert visible(text) == text


HIDES = {"Cc", "Cf", "Cs", "Zl", "Zp"}
BLANKS = set("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


def hides(character: str) -> bool:
    """What Unicode says of a character that shows nothing of itself or turns its neighbours around."""
    code = ord(character)
    return (
        unicodedata.category(character) in HIDES
        or character in BLANKS
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0000 <= code <= 0xE0FFF
        or 0xFDD0 <= code <= 0xFDEF
        or code & 0xFFFE == 0xFFFE
        or code in (0x2065, *range(0xFFF0, 0xFFF9))
    )


def test_of_all_of_unicode_exactly_the_characters_that_hide_are_written_out() -> None:
    wrong = []
    newer = 0
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        shown = visible(character) != character
        if shown and not hides(character) and unicodedata.category(character) == "Cn":
            newer += 1  # a format character that this interpreter's Unicode does not know yet
        elif shown != hides(character):
            wrong.append(hex(code))
    assert wrong == []
    assert newer < 50


def test_every_sample_of_the_security_corpus_is_made_visible(corpus: Path) -> None:
    samples = json.loads((corpus / "corpora" / "unicode-security" / "samples.json").read_bytes())
    kinds = ("bidi_controls", "trojan_names", "invisible", "noncharacters", "c0_c1_xml_illegal", "line_separators")
    texts = [text for kind in kinds for text in samples[kind]]
    assert len(texts) == 125
    for text in texts:
        shown = visible(text)
        assert "⟨U+" in shown, ascii(text)
        assert not any(hides(character) for character in shown), ascii(text)
        assert re.sub("⟨U\\+([0-9A-F]{4,6})⟩", lambda match: chr(int(match[1], 16)), shown) == text


# --- real data ------------------------------------------------------------------------------------------------------


def catalog(corpus: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    zstandard = pytest.importorskip("zstandard")
    (path,) = (corpus / "data" / "kernelindex").glob("*.zst")
    with path.open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as stream:
        for line in io.BufferedReader(stream, 1 << 20):
            entry = json.loads(line)
            yield entry["table"], entry["row"]


@pytest.fixture(scope="module")
def rows(corpus: Path) -> dict[str, list[dict[str, Any]]]:
    tables = ("operations", "operation_aliases", "implementations", "measurements", "benchmark_runs")
    wanted: dict[str, list[dict[str, Any]]] = {table: [] for table in tables}
    for table, row in catalog(corpus):
        if table in wanted:
            wanted[table].append(row)
    return wanted


@pytest.mark.slow
def test_every_real_measurement_is_rounded_as_decimal_arithmetic_rounds_it(
    rows: dict[str, list[dict[str, Any]]],
) -> None:
    values = [(row["value"], row["unit"]) for row in rows["measurements"]]
    values += [
        (row["primaryValue"], row["primaryUnit"]) for row in rows["benchmark_runs"] if row["primaryValue"] is not None
    ]
    assert len(values) > 20_000
    for value, unit in values:
        assert plain(quantity(value, unit).text) == expected_time(value, unit), (value, unit)
        assert quantity(value, unit).exact == f"{number_text(value)} {unit}"


@pytest.mark.slow
def test_every_real_source_metric_is_rounded_half_up_where_python_is_not(rows: dict[str, list[dict[str, Any]]]) -> None:
    values = []
    for row in rows["benchmark_runs"]:
        metrics = row["manifest"]["run"]["spec"].get("sourceNative", {}).get("metrics", {})
        values += [
            value for value in metrics.values() if isinstance(value, int | float) and not isinstance(value, bool)
        ]
    assert len(values) > 1_000
    careless = 0
    for value in values:
        for places in (0, 1, 2, 3, 4):
            right = f"{rounded(Decimal(number_text(value)), places):f}"
            assert metric_text(value, f"fixed:{places}") == right, value
            assert metric_text(value, f"ratio:{places}") == f"{right}×", value
            careless += f"{value:.{places}f}" != right
        assert metric_text(value, "literal").replace(NNBSP, "") == number_text(value)
    assert careless > 0  # the data holds values on which careless rounding is wrong


def test_every_number_of_the_real_dump_is_rounded_as_decimal_arithmetic_rounds_it(corpus: Path) -> None:
    files = sorted((corpus / "data" / "sol-execbench" / "submissions").glob("*.json"))
    entries = [entry for file in files for entry in json.loads(file.read_bytes())["data"]["submissions"]]
    latencies = [entry["latency_ms"] for entry in entries if entry["latency_ms"] is not None]
    scores = [entry["sol_score"] for entry in entries if entry["sol_score"] is not None]
    speedups = [entry["avg_speedup"] for entry in entries if entry["avg_speedup"] is not None]
    assert min(len(latencies), len(scores), len(speedups)) >= 700
    for value in latencies:
        assert plain(quantity(value, "ms").text) == expected_time(value, "ms")
    for value in scores:
        assert metric_text(value, "fixed:4") == f"{rounded(Decimal(number_text(value)), 4):f}"
    for value in speedups:
        assert metric_text(value, "ratio:2") == f"{rounded(Decimal(number_text(value)), 2):f}×"


@pytest.mark.slow
def test_a_real_operation_name_changes_only_in_case_and_separators(rows: dict[str, list[dict[str, Any]]]) -> None:
    names = {row["name"] for row in rows["operations"]}
    assert len(names) > 400
    for raw in names:
        name = operation_name(raw)
        assert kebab(name) == kebab(raw if " " in raw else re.sub("^[0-9]+_", "", raw)), raw
        assert " " in raw or "_" not in name, raw
        assert not name[0].islower(), raw
        assert operation_name(name) == name or " " not in name, raw


@pytest.mark.slow
def test_a_real_implementation_is_named_by_its_author_or_submission(rows: dict[str, list[dict[str, Any]]]) -> None:
    operations = {row["id"]: [row["name"], row["manifest"]["metadata"]["name"]] for row in rows["operations"]}
    for row in rows["operation_aliases"]:
        operations[row["operationId"]].append(row["alias"])
    seen = 0
    for row in rows["implementations"]:
        first, dot, rest = row["title"].partition(" · ")
        name = implementation_name(row["title"], tuple(operations[row["operationId"]]), "fallback")
        if rest.startswith("submission "):
            seen += 1
            assert name == rest, row["title"]
        elif dot:
            seen += 1
            assert name == first, row["title"]
    assert seen > 4_000


@pytest.mark.parametrize(
    ("value", "leader", "better", "text"),
    [
        (100_000_001, 100_000_000, "lower", "<0.01 %"),
        (1005, 1000, "lower", "0.50 %"),
        (241, 100, "lower", "×2.41"),
        (0, -1, "lower", "1"),
        (5, 5, "lower", "–"),
    ],
)
def test_a_margin_is_a_gap_without_its_sign(value: float, leader: float, better: str, text: str) -> None:
    assert plain(margin_text(value, leader, better)) == text


@pytest.mark.parametrize(
    ("value", "unit", "other", "other_unit", "same"),
    [
        (0.530092, "ms", 530092, "ns", True),
        (0.5300924, "ms", 530092, "ns", True),  # a record holds whole nanoseconds
        (0.5300926, "ms", 530092, "ns", False),
        (0.1, "s", 100, "ms", True),
        (0.1, "s", 100.5, "ms", False),
        (5.3, "s", 5, "s", False),
        (1.5, "\u03bcs", 1500, "ns", True),
        (1.5, "\u00b5s", 1.5, "us", True),
        (1e308, "s", 5e-324, "ns", False),
        (-1, "ms", -1_000_000, "ns", True),
        (100, "", 100, "ns", False),
        (100, "gbps", 100, "gbps", False),
    ],
)
def test_one_time_in_two_units_is_told_by_exact_conversion(
    value: float, unit: str, other: float, other_unit: str, same: bool
) -> None:
    assert same_time(value, unit, other, other_unit) is same
