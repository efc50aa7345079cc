import { describe, expect, it } from 'vitest';
import type { EvalResult, EvalSample } from '../../loop/evaluate.ts';
import { formAndContent, formText, gainsOf, gainText, resultSentence, verdictText } from './gains.ts';

/** A problem: its first answer and its greedy one are right or wrong, and so many of four draws are right. */
type Row = readonly [sampled: boolean, greedy: boolean, draws: number];

const repeated = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

function evaluation(step: number, rows: readonly Row[]): EvalResult {
  const share = (test: (row: Row) => boolean): number => rows.filter(test).length / rows.length;
  return {
    step,
    accuracy: share(([sampled]) => sampled),
    format: 1,
    n: rows.length,
    tasks: [],
    temperature: 1,
    greedy: { accuracy: share(([, greedy]) => greedy), format: 1 },
    passAtK: { k: 4, accuracy: share(([, , draws]) => draws > 0) },
    seconds: 1,
    samples: rows.map(([correct, greedy, correctDraws], i) => ({
      task: 'a',
      question: `${i}`,
      answer: '',
      text: '',
      extracted: null,
      correct,
      format: true,
      greedy: { correct: greedy, format: true },
      correctDraws,
    })),
  };
}

const BEFORE = evaluation(0, [
  ...repeated(20, [true, true, 4]),
  ...repeated(40, [false, false, 1]),
  ...repeated(40, [false, false, 0]),
]);
const verdictAfter = (rows: readonly Row[]) => gainsOf(BEFORE, evaluation(9, rows));

describe('what reinforcement added', () => {
  it('is measured by problem', () => {
    // Sampled: 30 problems up, 5 down. Greedy: 40 up. pass@4: 10 of the 40 out of reach come within it.
    const gains = verdictAfter([
      ...repeated(15, [true, true, 4]),
      ...repeated(5, [false, true, 3]),
      ...repeated(30, [true, true, 2]),
      ...repeated(10, [false, true, 1]),
      ...repeated(10, [false, false, 1]),
      ...repeated(30, [false, false, 0]),
    ]);
    const half = (up: number, down: number) =>
      (1.959964 * Math.sqrt(up + down + 1 - (up - down) ** 2 / 102)) / 102;
    expect(gains.sampled?.difference).toBeCloseTo(0.25, 12);
    expect(gains.sampled?.interval?.low).toBeCloseTo(25 / 102 - half(30, 5), 12);
    expect(gains.greedy?.difference).toBeCloseTo(0.4, 12);
    expect(gains.passAtK).toMatchObject({ k: 4 });
    expect(gains.passAtK?.difference).toBeCloseTo(0.1, 12);
    expect(gains.passAtK?.interval?.high).toBeCloseTo(10 / 102 + half(10, 0), 12);
    expect(gains.verdict).toBe('added');
    expect(verdictText(gains)).toContain('added: there are right answers among 4 tries to more problems');
  });

  it('is sharpening where no more problems come within reach', () => {
    const gains = verdictAfter([...repeated(60, [true, true, 4]), ...repeated(40, [false, false, 0])]);
    expect(gains.verdict).toBe('sharpened');
    expect(gains.passAtK?.difference).toBe(0);
    expect(verdictText(gains)).toContain('sharpened');
  });

  it('is narrowing where fewer problems are within reach', () => {
    // pass@4 falls from 60 to 40 of 100 problems.
    const gains = verdictAfter([...repeated(40, [true, true, 4]), ...repeated(60, [false, false, 0])]);
    expect(gains.verdict).toBe('narrowed');
    expect(verdictText(gains)).toContain('4 tries solve fewer problems than before');
  });

  it('is widening where single answers stay as they were', () => {
    const rows = BEFORE.samples.map(({ correct, greedy, correctDraws = 0 }): Row => [
      correct,
      greedy?.correct === true,
      Math.max(1, correctDraws),
    ]);
    expect(verdictAfter(rows).verdict).toBe('widened');
  });

  it('is a loss where something fell and nothing rose, and unclear where nothing moved', () => {
    expect(verdictAfter(repeated(100, [false, false, 0])).verdict).toBe('lost');
    expect(gainsOf(BEFORE, { ...BEFORE, step: 9 }).verdict).toBe('unclear');
  });

  it('compares two numbers of draws at the smaller one', () => {
    // One right draw of 8: pass@4 is 1 − C(7, 4)/C(8, 4) = 1/2.
    const eight = evaluation(9, repeated(100, [false, false, 1]));
    const gains = gainsOf(BEFORE, { ...eight, passAtK: { k: 8, accuracy: 1 } });
    expect(gains.passAtK?.k).toBe(4);
    expect(gains.passAtK?.difference).toBeCloseTo(0.5 - 0.6, 12);
  });

  it('takes the draws for the sampled answers of an evaluation that is greedy', () => {
    // Before, 20 problems have 4 of 4 and 40 have 1 of 4; after, all have 2 of 4.
    const after = { ...evaluation(9, repeated(100, [true, true, 2])), temperature: 0 };
    const gains = gainsOf({ ...BEFORE, temperature: 0 }, after);
    expect(gains.sampled?.difference).toBeCloseTo(0.5 - (20 + 40 / 4) / 100, 12);
    expect(gains.sampled?.interval?.low).toBeGreaterThan(0);
    expect(gains.greedy?.difference).toBeCloseTo(0.8, 12);
  });

  it('can’t be told from records that lack the draws, or of other problems', () => {
    const { greedy: _greedy, passAtK: _pass, ...old } = BEFORE;
    const gains = gainsOf(old, evaluation(9, repeated(100, [true, true, 4])));
    expect(gains).toMatchObject({ greedy: null, passAtK: null, verdict: null });
    expect(gains.sampled?.difference).toBeCloseTo(0.8, 12);
    expect(verdictText(gains)).toBeNull();
    const others = gainsOf(BEFORE, evaluation(9, repeated(50, [true, true, 4])));
    expect(others.sampled?.interval).toBeNull();
    expect(others.verdict).toBe('unclear');
  });
});

it('is written in points, with its interval', () => {
  expect(gainText({ difference: 0.123, interval: { low: -0.0501, high: 0.25, half: 0.15 } })).toBe(
    '+12.3 points (−5.0 to +25.0)',
  );
  expect(gainText({ difference: -0.0001, interval: null })).toBe('0.0 points');
});

describe('the sentence of a result', () => {
  const sharper = evaluation(9, [...repeated(60, [true, true, 4]), ...repeated(40, [false, false, 0])]);
  const narrower = evaluation(9, [...repeated(40, [true, true, 4]), ...repeated(60, [false, false, 0])]);
  const worked = (result: EvalResult, working: number): EvalResult => ({
    ...result,
    samples: result.samples.map((sample) => ({ ...sample, working })),
  });

  it.each([
    ['more answers are right', sharper, 'The model improved; the gain is too large to be chance.'],
    [
      'the working is right, too',
      worked(sharper, 1),
      'The model improved; the gain is too large to be chance.',
    ],
    [
      'fewer problems are within reach',
      narrower,
      'Single answers are right more often, but 4 tries solve fewer problems than before.',
    ],
    [
      'the working is wrong',
      worked(sharper, 0.2),
      'The model found a shortcut: more answers are right, but 100% of the right sampled answers have wrong working.',
    ],
    [
      'both',
      worked(narrower, 0.2),
      'The model found a shortcut: more answers are right, but 100% of the right sampled answers have wrong working, and 4 tries solve fewer problems than before.',
    ],
    [
      'greedy answers are lost and sampled ones are not',
      evaluation(9, [...repeated(60, [true, false, 4]), ...repeated(40, [false, false, 0])]),
      'Sampled answers are right more often, and greedy ones less often; both changes are too large to be chance.',
    ],
    [
      'answers are lost',
      evaluation(9, repeated(100, [false, false, 0])),
      'The model got worse; the drop is too large to be chance.',
    ],
    ['nothing changed', { ...BEFORE, step: 9 }, 'With this many problems, the difference could be chance.'],
  ])('where %s', (_, after, text) => {
    expect(resultSentence(BEFORE, after).text).toBe(text);
  });
});

describe('form and content', () => {
  const withoutGreedy = (sample: EvalSample): EvalSample => {
    const copy = { ...sample };
    Reflect.deleteProperty(copy, 'greedy');
    return copy;
  };
  /** Greedy verdicts: R right, F in the right format and wrong, – in the wrong format. */
  const verdicts = (step: number, marks: string): EvalResult => {
    const result = evaluation(
      step,
      Array.from(marks, (mark) => [false, mark === 'R', 0] as const),
    );
    const samples = result.samples.map((sample, i) => ({
      ...sample,
      greedy: { correct: marks[i] === 'R', format: marks[i] !== '–' },
    }));
    return { ...result, samples };
  };

  it('are told apart by what was wrong before', () => {
    const split = formAndContent(verdicts(0, '–––FFFRRR–'), verdicts(9, 'RRFRFFRR––'));
    expect(split).toEqual({ byFormat: 2, byAnswer: 1, lost: 1, greedy: true });
    expect(split && formText(split)).toBe(
      '3 problems became right (greedy): 2 had the wrong format before, 1 the right format and a wrong answer; 1 became wrong.',
    );
    // Sampled answers count where there are no greedy ones: all of them are wrong here.
    const sampled = verdicts(9, 'RR');
    const bare = { ...sampled, samples: sampled.samples.map(withoutGreedy) };
    expect(formAndContent(verdicts(0, 'FF'), bare)).toMatchObject({ byAnswer: 0, greedy: false });
    expect(formText({ byFormat: 0, byAnswer: 0, lost: 2, greedy: true })).toBeNull();
    expect(formAndContent(verdicts(0, 'FF'), verdicts(9, 'FFF'))).toBeNull();
  });
});
