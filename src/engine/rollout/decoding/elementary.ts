/**
 * exp, ln and ln(1 + x) whose results are the same to the bit wherever JavaScript runs: those of `Math` belong to the JavaScript engine, and
 * change with its version. They are translated from fdlibm (e_exp.c, e_log.c, s_log1p.c), whose errors are below one unit in the last place:
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunSoft, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
 */

const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;
const INVERSE_LN2 = 1.442695040888963387;

/** 2^k for k from −1074 to 1023. */
const POWERS = Float64Array.from({ length: 2098 }, (_, i) => 2 ** (i - 1074));
const powerOf2 = (k: number): number => POWERS[k + 1074] as number;

/** A number and the same 8 bytes as two words, little-endian as all hardware with browsers is. */
const NUMBER = new Float64Array(1);
const WORDS = new Int32Array(NUMBER.buffer);

function highWord(x: number): number {
  NUMBER[0] = x;
  return WORDS[1] as number;
}

function withHighWord(x: number, high: number): number {
  NUMBER[0] = x;
  WORDS[1] = high;
  return NUMBER[0] as number;
}

/** e^x. */
export function exp(x: number): number {
  if (!(x >= -745.1332191019412)) return x < 0 ? 0 : x;
  if (x > 709.782712893384) return Number.POSITIVE_INFINITY;
  const size = Math.abs(x);
  // 2^-28.
  if (size < 3.725290298461914e-9) return 1 + x;
  if (size <= 0.5 * Math.LN2) {
    const c = remainder(x);
    return 1 - ((x * c) / (c - 2) - x);
  }
  // x = k ln 2 + r with |r| ≤ ln 2 / 2.
  const k = size < 1.5 * Math.LN2 ? Math.sign(x) : Math.trunc(INVERSE_LN2 * x + 0.5 * Math.sign(x));
  const high = x - k * LN2_HIGH;
  const low = k * LN2_LOW;
  const r = high - low;
  const c = remainder(r);
  const y = 1 - (low - (r * c) / (2 - c) - high);
  if (k === 1024) return y * 2 * powerOf2(1023);
  return k >= -1021 ? y * powerOf2(k) : y * powerOf2(k + 1000) * powerOf2(-1000);
}

/** r − r² P(r²) = c, with e^r = 1 + r + r c / (2 − c). */
function remainder(r: number): number {
  const t = r * r;
  return (
    r -
    t *
      (1.66666666666666019037e-1 +
        t *
          (-2.77777777770155933842e-3 +
            t *
              (6.61375632143793436117e-5 + t * (-1.6533902205465251539e-6 + t * 4.13813679705723846039e-8))))
  );
}

/** ln x. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  const subnormal = x < 2.2250738585072014e-308;
  const normal = subnormal ? x * 2 ** 54 : x;
  const whole = highWord(normal);
  const high = whole & 0xfffff;
  const carry = (high + 0x95f64) & 0x100000;
  // x = 2^k (1 + f), with 1 + f from √½ to √2.
  const k = (whole >> 20) - 1023 + (carry >> 20) - (subnormal ? 54 : 0);
  const f = withHighWord(normal, high | (carry ^ 0x3ff00000)) - 1;
  if ((0xfffff & (2 + high)) < 3) {
    if (f === 0) return k * LN2_HIGH + k * LN2_LOW;
    const small = f * f * (0.5 - 0.3333333333333333 * f);
    return k === 0 ? f - small : k * LN2_HIGH - (small - k * LN2_LOW - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (3.999999999940941908e-1 + w * (2.222219843214978396e-1 + w * 1.531383769920937332e-1));
  const odd =
    z *
    (6.66666666666673513e-1 +
      w * (2.857142874366239149e-1 + w * (1.818357216161805012e-1 + w * 1.479819860511658591e-1)));
  const series = odd + even;
  if (((high - 0x6147a) | (0x6b851 - high)) > 0) {
    const half = 0.5 * f * f;
    return k === 0
      ? f - (half - s * (half + series))
      : k * LN2_HIGH - (half - (s * (half + series) + k * LN2_LOW) - f);
  }
  return k === 0 ? f - s * (f - series) : k * LN2_HIGH - (s * (f - series) - k * LN2_LOW - f);
}

/** ln(1 + x) for x from −1 to 0. */
export function log1p(x: number): number {
  if (!(x > -1 && x <= 0)) return x === -1 ? Number.NEGATIVE_INFINITY : Number.NaN;
  // 2^-54 and 2^-29.
  if (x > -5.551115123125783e-17) return x;
  if (x > -1.862645149230957e-9) return x - x * x * 0.5;
  let [k, f, c, high] = [0, x, 0, 1];
  // Below √½.
  if (highWord(x) > 0xbfd2bec4 - 2 ** 32) {
    const u = 1 + x;
    const whole = highWord(u);
    k = (whole >> 20) - 1023;
    c = (x - (u - 1)) / u;
    high = whole & 0xfffff;
    if (high < 0x6a09e) f = withHighWord(u, high | 0x3ff00000) - 1;
    else {
      k += 1;
      f = withHighWord(u, high | 0x3fe00000) - 1;
      high = (0x100000 - high) >> 2;
    }
  }
  const half = 0.5 * f * f;
  if (high === 0) {
    if (f === 0) return k * LN2_HIGH + (c + k * LN2_LOW);
    const small = half * (1 - 0.6666666666666666 * f);
    return k === 0 ? f - small : k * LN2_HIGH - (small - (k * LN2_LOW + c) - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const series =
    z *
    (6.66666666666673513e-1 +
      z *
        (3.999999999940941908e-1 +
          z *
            (2.857142874366239149e-1 +
              z *
                (2.222219843214978396e-1 +
                  z *
                    (1.818357216161805012e-1 +
                      z * (1.531383769920937332e-1 + z * 1.479819860511658591e-1))))));
  return k === 0
    ? f - (half - s * (half + series))
    : k * LN2_HIGH - (half - (s * (half + series) + (k * LN2_LOW + c)) - f);
}
