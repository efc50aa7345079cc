import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { describeShared } from '@rl-playground/base/testing/shared';
import { extractBoxed, gradeAnswer } from './cookbookReward.ts';
import { boxedAnswer, sameAnswer } from './boxedAnswer.ts';
import { equalEquations, equalExpressions } from './expression.ts';
import { gsm8kFinalAnswer } from '../gsm8k.ts';
import { normalizeLatex, normalizePlain, tupleElements } from './normalForms.ts';

interface Row {
  readonly id: string;
  readonly input: string;
  readonly output: string | null;
  readonly candidate: string;
  readonly gold: string;
  readonly given: string | null;
  readonly extracted: string | null;
  readonly format_ok: boolean;
  readonly correct: boolean;
  readonly via?: string | null;
  readonly normalize_answer_given?: string;
  readonly normalize_given?: string;
  readonly normalize_answer: string;
  readonly _normalize: string;
  readonly split_tuple: string[];
}

const VIA: Readonly<Record<string, string>> = {
  normalize_answer: 'latex',
  _normalize: 'plain',
  sympy: 'value',
};

describeShared("the Tinker cookbook's grader", 'refdata/math', (folder) => {
  const rows = (name: string): Row[] =>
    readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);

  it('extracts and grades whole responses', () => {
    for (const row of rows('responses')) {
      const extracted = extractBoxed(row.candidate);
      expect({ id: row.id, extracted }).toEqual({ id: row.id, extracted: row.extracted });
      const equal = gradeAnswer(extracted, row.gold);
      expect({ id: row.id, equal }).toEqual({ id: row.id, equal: VIA[row.via ?? ''] ?? null });
    }
  });

  it('grades answers', () => {
    const missed: string[] = [];
    for (const row of rows('grade_answer')) {
      const equal = gradeAnswer(row.given, row.gold);
      if (equal !== (VIA[row.via ?? ''] ?? null)) missed.push(`${row.gold} ${row.given} ${equal} ${row.via}`);
      if (row.given !== null && row.normalize_answer_given !== undefined)
        expect({ id: row.id, form: normalizeLatex(row.given) }).toEqual({
          id: row.id,
          form: row.normalize_answer_given,
        });
      if (row.given !== null && row.normalize_given !== undefined)
        expect({ id: row.id, form: normalizePlain(row.given) }).toEqual({
          id: row.id,
          form: row.normalize_given,
        });
    }
    // Only sympy knows that these are equal: they have symbols.
    expect(missed.filter((each) => !/[xy]/.test(each))).toEqual([]);
    expect(missed.length).toBeLessThan(10);
  });

  it('normalizes golden answers', () => {
    for (const row of rows('normalize_gold')) {
      const forms = [normalizeLatex(row.input), normalizePlain(row.input)];
      expect({ id: row.id, forms }).toEqual({ id: row.id, forms: [row.normalize_answer, row._normalize] });
      expect({ id: row.id, parts: tupleElements(row._normalize) }).toEqual({
        id: row.id,
        parts: row.split_tuple,
      });
    }
  });

  it("reads GSM8K's final answers", () => {
    for (const { id, input, output } of rows('extract_gsm8k_final_answer'))
      expect({ id, output: gsm8kFinalAnswer(input) }).toEqual({ id, output });
  });
});

describe('values', () => {
  it.each([
    ['1/3+1/6', '0.5', true],
    ['-2^2', '-4', true],
    ['2^-1', '.5', true],
    ['2^3^2', '512', true],
    ['sqrt(8)/2', 'sqrt(2)', true],
    ['1/sqrt(3)', 'sqrt(3)/3', true],
    ['sqrt(0.25)', '1/2', true],
    ['(1+sqrt(2))^2', '3+2sqrt(2)', true],
    ['2pi/4', 'pi/2', true],
    ['1/2pi', 'pi/2', true],
    ['3(4)', '12', true],
    ['1e3', '1000', true],
    ['0.1+0.2', '0.3', true],
    ['1/3', '0.3333333333', false],
    ['1/0', '1/0', false],
    ['x', 'x', false],
    ['042', '42', false],
    ['2**', '2', false],
    ['(1', '1', false],
    ['1,2', '1,2', false],
  ])('%s = %s: %s', (a, b, equal) => expect(equalExpressions(a, b)).toBe(equal));
});

describe('expressions with letters', () => {
  it.each([
    ['2x+3', '3+2x', true],
    ['(x+1)(x-1)', 'x^2-1', true],
    ['(x+y)^3', 'x^3+3x^2y+3xy^2+y^3', true],
    ['x^2/x', 'x', true],
    ['x/2+x/3', '5x/6', true],
    ['sqrt(2)x', 'x*sqrt(2)', true],
    ['xy', 'yx', false],
    ['f(2)', '2f', false],
    ['x^2', '2x', false],
    ['sin(x)', 'nis(x)', false],
  ])('%s = %s: %s', (a, b, equal) => expect(equalExpressions(a, b, true)).toBe(equal));

  it.each([
    ['x-y=1', '2y=2x-2', true],
    ['x=y', 'y=x', true],
    ['x=1', 'x=2', false],
    ['x=x', 'y=y', false],
    ['x=1=1', 'x=1', false],
  ])('%s and %s hold for the same numbers: %s', (a, b, equal) => expect(equalEquations(a, b)).toBe(equal));
});

describe('hostile text', () => {
  const n = everyProof ? 1_000_000 : 300_000;
  it.each([
    ['opening braces', '{'.repeat(n)],
    ['closing braces', '}'.repeat(n)],
    ['nested boxes', `${'\\boxed{'.repeat(n / 10)}1${'}'.repeat(n / 10)}`],
    ['backslashes', '\\'.repeat(n)],
    ['digits', '7'.repeat(n)],
    ['digits and dots', '7.'.repeat(n / 2)],
    ['groups', `1${',234'.repeat(n / 4)}`],
    ['open fractions', '\\frac{'.repeat(n / 6)],
    ['fractions', '\\frac12'.repeat(n / 7)],
    ['roots', '\\sqrt['.repeat(n / 6)],
    ['blanks', `\\boxed${' '.repeat(n)}`],
    ['brackets', '('.repeat(n)],
    ['minus signs', '-'.repeat(n)],
    ['powers', '9^9^9^9'],
    ['units', 'cm '.repeat(n / 3)],
    ['underscores', '1_'.repeat(n / 2)],
    ['texts', '\\text{ '.repeat(n / 7)],
    ['matrices', '\\begin{array}'.repeat(n / 13)],
  ])('%s take no longer than their length', (_, text) => {
    const before = process.cpuUsage();
    const boxed = extractBoxed(`\\boxed{${text}}`);
    const equal = [gradeAnswer(text, '42'), gradeAnswer('42', text), gradeAnswer(boxed, '\\frac{1}{2}')];
    gsm8kFinalAnswer(text);
    const exact = boxedAnswer(`\\boxed{${text}}`);
    expect([sameAnswer(text, '42'), sameAnswer('42', text), sameAnswer(exact, '\\frac{1}{2}')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(equal).toEqual([null, null, null]);
    // Microseconds of computing; what is quadratic takes far longer.
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
  });
});
