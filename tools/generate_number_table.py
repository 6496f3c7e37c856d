#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Lyra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes src/base/number_table.c: the powers of ten that reading and printing numbers share.

    tools/generate_number_table.py > src/base/number_table.c
    tools/generate_number_table.py --verify    proves the bounds that number.c and number_format.c
                                               rely on, for every power and every double, and that
                                               the table is the one written here

Entry q is T(q) = 10^q 2^-r with r such that 2^127 <= T < 2^128, cut to an integer. For -27 <= q < 0
it is rounded up instead of down, so that w T(q) shows when w is a multiple of 5^-q.
"""

import contextlib
import io
import pathlib
import sys
from fractions import Fraction

FIRST, LAST = -342, 324
ROUNDED_UP = range(-27, 0)


def floor_log2_pow10(q):
    """r + 127 of T(q): the binary exponent of 10^q."""
    if q >= 0:
        return (10**q).bit_length() - 1
    return -(10**-q).bit_length() if 10**-q & (10**-q - 1) else 1 - (10**-q).bit_length()


def exact(q):
    """T(q) before the cut."""
    return Fraction(10) ** q / Fraction(2) ** (floor_log2_pow10(q) - 127)


def entry(q):
    value = exact(q)
    floor = value.numerator // value.denominator
    return floor + 1 if q in ROUNDED_UP else floor


def write_table():
    print("// SPDX-FileCopyrightText: The Lyra authors")
    print("// SPDX-License-Identifier: BSD-3-Clause")
    print()
    print("// Made by tools/generate_number_table.py, which says what the entries are. Do not edit.")
    print()
    print('#include "base/number_table.h"')
    print()
    print("// clang-format off")
    print("const uint64_t ly_power_table[LY_POWER_LAST - LY_POWER_FIRST + 1][2] = {")
    for q in range(FIRST, LAST + 1):
        value = entry(q)
        print(f"    {{0x{value >> 64:016x}, 0x{value & (2**64 - 1):016x}}}, // {q}")
    print("};")
    print("// clang-format on")


def least_residue(a, m, n):
    """Least nonzero and greatest value of (a c) mod m over 1 <= c <= n.

    The records of a c mod m, c = 1, 2, ..., come in two families: ever smaller (low, reached at
    step `p`) and ever closer to m from below (high, at step `s`). Each new record is a sum of
    the two that stand, as in Euclid's algorithm; whole runs are taken at once.
    """
    low, high = a % m, a % m
    p = s = 1
    if low == 0:
        return None, 0
    best_low, best_high = low, high
    while p + s <= n:
        gap = m - high
        if low >= gap:
            # steps of s bring `low` down by `gap` each
            t = min((low - (1 if low % gap == 0 else 0)) // gap, (n - p) // s)
            if t == 0:
                break  # low would become 0: all further values repeat
            low -= t * gap
            p += t * s
        else:
            t = min((gap - 1) // low, (n - s) // p)
            if t == 0:
                break
            high += t * low
            s += t * p
        best_low, best_high = min(best_low, low), max(best_high, high)
    return best_low, best_high


def verify_residues():
    import random

    rng = random.Random(1)
    for _ in range(3000):
        m = rng.randint(2, 400)
        a = rng.randint(1, 3 * m)
        n = rng.randint(1, 500)
        values = [a * c % m for c in range(1, n + 1)]
        nonzero = [v for v in values if v]
        low, high = least_residue(a, m, n)
        assert low == (min(nonzero) if nonzero else None), (a, m, n)
        assert high == max(values), (a, m, n)


def verify_logarithms():
    for q in range(FIRST, LAST + 1):
        assert (217706 * q) >> 16 == floor_log2_pow10(q), q
        assert (1741647 * q) >> 19 == floor_log2_pow10(q), q

    def floor_log10(value):
        k = len(str(value.numerator)) - len(str(value.denominator))
        while Fraction(10) ** k > value:
            k -= 1
        while Fraction(10) ** (k + 1) <= value:
            k += 1
        return k

    for q in range(-1074, 972):
        power = Fraction(2) ** q
        assert (1262611 * q) >> 22 == floor_log10(power), q
        assert (1262611 * q - 524031) >> 22 == floor_log10(power * 3 / 4), q


def verify_table():
    for q in range(FIRST, LAST + 1):
        assert 2**127 <= entry(q) < 2**128, q
        # number_format.c adds one to the low word
        assert entry(q) & (2**64 - 1) != 2**64 - 1, q
        assert (exact(q) == entry(q)) == (0 <= q <= 55), q


def verify_printing():
    """No double and no end of its rounding interval, scaled by 10^-k, comes closer than 2^-67 to an
    integer without being one: the sticky bit of number_format.c is right."""
    least = Fraction(1, 2**67)
    for q in range(-1074, 972):
        for k in {(1262611 * q) >> 22, (1262611 * q - 524031) >> 22}:
            # cp = cb << h stays below 2^60
            assert 1 <= q + ((1741647 * -k) >> 19) + 1 <= 4, (q, k)
            # vb = cb 2^q 10^-k; cb = 4 c - 2, 4 c or 4 c + 2 with c < 2^53, or 2^54 - 1
            scale = Fraction(2) ** q / Fraction(10) ** k
            odd = (2**54 - 1) * scale % 1
            assert odd == 0 or least <= odd <= 1 - least, (q, k)
            scale *= 2
            a, m = scale.numerator, scale.denominator
            if m == 1:
                continue
            low, high = least_residue(a, m, 2**54)
            assert low is None or Fraction(low, m) >= least, (q, k)
            assert Fraction(m - high, m) >= least, (q, k)


def verify_reading():
    """For every word w, the bits of w T(q) from bit 137 up, that is those of its upper word above
    the lowest 9, are those of w times the exact power. Zero must be told from nearly zero only where
    ties are possible, -4 <= q <= 23, where the power is exact or has the denominator 5^-q."""
    for q in range(FIRST, 309):
        error = exact(q) - entry(q)
        if error == 0:
            continue
        # the fraction of w exact / 2^137 must not lie in [0, w error / 2^137) where the table is cut,
        # nor in [1 - w |error| / 2^137, 1) where it is rounded up
        value = exact(q) / 2 ** (128 + 9)
        low, high = least_residue(value.numerator, value.denominator, 2**64 - 1)
        bound = abs(error) * (2**64 - 1) / 2 ** (128 + 9)
        if error > 0:
            # a cut product may fall below a multiple that the exact one reaches
            exact_hit = value.denominator <= 2**64 - 1
            assert not exact_hit, q
            assert low is None or Fraction(low, value.denominator) >= bound, q
        else:
            assert Fraction(value.denominator - high, value.denominator) > bound, q


def verify_file():
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        write_table()
    table = pathlib.Path(__file__).parent.parent / "src" / "base" / "number_table.c"
    assert table.read_text(encoding="utf-8") == written.getvalue(), f"{table} is out of date"


if __name__ == "__main__":
    if sys.argv[1:] == ["--verify"]:
        verify_residues()
        verify_logarithms()
        verify_table()
        verify_printing()
        verify_reading()
        verify_file()
        print("all bounds hold")
    else:
        write_table()
