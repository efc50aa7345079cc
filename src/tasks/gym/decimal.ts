/** Numbers compared as Python's `Decimal` compares them. */
import type { ScoringMode } from '../types.ts';
import { stripSpace } from '../pythonText.ts';
import { textScore } from './scoring.ts';

/** sign, digits without the point, exponent of ten of the last digit */
const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i;

/** Canonical text of a decimal number of any length (`-1.50e1` → `-15e0`), or null where it is none. */
export function canonicalDecimal(text: string): string | null {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole + fraction === '') return null;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const trimmed = digits.replace(/0+$/, '');
  const scale = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - trimmed.length);
  return `${sign === '-' ? '-' : ''}${trimmed}e${scale}`;
}

/** 1 for an equal number, commas aside; else what the text earns. */
export function decimalScore(candidate: string | null, truth: string, mode: ScoringMode): number {
  if (candidate === null || candidate === '') return 0;
  const given = canonicalDecimal(stripSpace(candidate).replaceAll(',', ''));
  if (given !== null && given === canonicalDecimal(stripSpace(truth).replaceAll(',', ''))) return 1;
  return textScore(candidate, truth, mode);
}
