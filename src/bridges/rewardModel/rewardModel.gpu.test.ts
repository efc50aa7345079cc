/** Reward models in their worker, in a real browser, on models made here whose scores are worked out by hand. */
import { afterEach, describe, expect, test } from 'vitest';
import type { Timers } from '@rl-playground/base/deadline';
import type { ModelFiles } from '@rl-playground/engine/parts';
import { labelProblem, type RewardQuestion, type ScoreOutcome } from '@rl-playground/run/rewardModel';
import { INFERENCE, SEVENS, tinyClassifier, tinyEmbedder } from '../testing/tinyRewardModel.ts';
import { RewardScorer } from './scorer.ts';

const POSITIVE: RewardQuestion = { pipeline: 'text-classification', label: 'POSITIVE' };
const runtime = `${location.origin}/onnxruntime/`;

const open: RewardScorer[] = [];
afterEach(() => {
  for (const scorer of open.splice(0)) scorer.dispose();
});

function scorerOf(files: ModelFiles, timers: Timers = lateAt(new Map())): RewardScorer {
  const scorer = new RewardScorer(files.label, files, { device: 'wasm', bytes: 0, runtime, timers });
  open.push(scorer);
  return scorer;
}

/** Makes the requests of these numbers late: their limits, in milliseconds, pass at once. */
function lateAt(limits: ReadonlyMap<number, number>): Timers {
  let [request, now, left] = [0, 0, 0];
  return {
    now: () => now,
    after(milliseconds, ring) {
      if (left <= 0) left = limits.get(++request) ?? 0;
      if (left <= 0) return () => undefined;
      left -= milliseconds;
      now += milliseconds;
      const alarm = setTimeout(ring, 0);
      return () => clearTimeout(alarm);
    },
  };
}

const asked = (texts: readonly string[], reference = '') => texts.map((text) => ({ text, reference }));
const scoreOf = (outcome: ScoreOutcome | undefined): number =>
  outcome !== undefined && 'score' in outcome ? outcome.score : NaN;
const errorOf = (outcome: ScoreOutcome | undefined): string =>
  outcome !== undefined && 'error' in outcome ? outcome.error : '';
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

describe('the score', () => {
  test('of a classifier is the probability of the label, in batches as alone', async () => {
    const scorer = scorerOf(await tinyClassifier(SEVENS));
    expect(await scorer.prepare(POSITIVE)).toEqual(['NEGATIVE', 'POSITIVE']);
    const texts = ['77', 'ab', '7a', '7bcd', ...Array.from({ length: 30 }, (_, i) => `7${'x'.repeat(i)}`)];
    // The softmax of -8 m and 8 m, for the share m of sevens.
    const expected = texts.map((text) => sigmoid((16 * text.replaceAll(/[^7]/g, '').length) / text.length));
    const scores = (await scorer.score(asked(texts), POSITIVE)).map(scoreOf);
    scores.forEach((score, i) => expect(score).toBeCloseTo(expected[i] ?? NaN, 5));
    expect(scoreOf((await scorer.score(asked(['7a']), { ...POSITIVE, label: 'NEGATIVE' }))[0])).toBeCloseTo(
      1 - sigmoid(8),
      5,
    );
  });

  test('of a classifier with one label is the sigmoid of its logit', async () => {
    const scorer = scorerOf(await tinyClassifier({ ...SEVENS, slopes: [4], labels: ['GOOD'] }));
    const question = { ...POSITIVE, label: '' };
    expect(labelProblem(await scorer.prepare(question), question)).toBeNull();
    const [all, half] = (await scorer.score(asked(['7', '7a']), question)).map(scoreOf);
    expect(all).toBeCloseTo(sigmoid(4), 5);
    expect(half).toBeCloseTo(sigmoid(2), 5);
  });

  test('of a label of one’s own is that of entailment against contradiction', async () => {
    const scorer = scorerOf(await tinyClassifier({ ...SEVENS, slopes: [-2, 0, 2], labels: INFERENCE }));
    const [score] = await scorer.score(asked(['77']), { pipeline: 'zero-shot-classification', label: 'b' });
    // "77" and "This example is b." are read as one text: 2 of 20 characters are sevens.
    expect(scoreOf(score)).toBeCloseTo(sigmoid((4 * 2) / 20), 5);
  });

  test('of likeness is the cosine of the counts of characters', async () => {
    const scorer = scorerOf(await tinyEmbedder());
    const scores = await scorer.score([...asked(['aab', 'cc'], 'ab'), ...asked(['ab'], 'abab')], {
      pipeline: 'feature-extraction',
      label: '',
    });
    expect(scoreOf(scores[0])).toBeCloseTo(3 / Math.sqrt(10), 5);
    expect(scoreOf(scores[1])).toBeCloseTo(0, 5);
    expect(scoreOf(scores[2])).toBeCloseTo(1, 5);
  });
});

describe('a model that', () => {
  test('throws for a text fails for that one alone', async () => {
    const scorer = scorerOf(await tinyClassifier({ ...SEVENS, broken: '|' }));
    const outcomes = await scorer.score(asked(['7', 'a|', '7']), POSITIVE);
    expect(scoreOf(outcomes[0])).toBeCloseTo(sigmoid(16), 5);
    expect(errorOf(outcomes[1])).toContain('The reward model failed: ');
    expect(scoreOf(outcomes[2])).toBeCloseTo(sigmoid(16), 5);
  });

  test('answers NaN fails for those texts alone, and is not asked on and on', async () => {
    const scorer = scorerOf(await tinyClassifier({ ...SEVENS, weights: { '7': 1, n: NaN } }));
    const outcomes = await scorer.score(
      asked(['n', '7', ...Array.from({ length: 40 }, () => 'n')]),
      POSITIVE,
    );
    expect(errorOf(outcomes[0])).toBe('The reward model answered NaN; a finite number is needed.');
    expect(scoreOf(outcomes[1])).toBeCloseTo(sigmoid(16), 5);
    expect(errorOf(outcomes[41])).toBe('Not scored, because the reward model failed 30 times in a row.');
  });

  test('hangs is killed, and the others’ answers are scored by a new worker', async () => {
    // Backtracking over 60 characters takes longer than anybody waits.
    const files = await tinyClassifier({ ...SEVENS, split: '(a|a)+b' });
    // Loaded, asked for all three, loaded again, asked for the first, for the second.
    const scorer = scorerOf(
      files,
      lateAt(
        new Map([
          [2, 60_000],
          [5, 180_000],
        ]),
      ),
    );
    const outcomes = await scorer.score(asked(['7', 'a'.repeat(60), '7']), POSITIVE);
    expect(scoreOf(outcomes[0])).toBeCloseTo(sigmoid(16), 5);
    expect(errorOf(outcomes[1])).toBe(
      'The reward model was killed after 180 s without an answer. It must be done by then.',
    );
    expect(scoreOf(outcomes[2])).toBeCloseTo(sigmoid(16), 5);
  });

  test('can’t be loaded is refused with the reason', async () => {
    const files = await tinyClassifier(SEVENS);
    const broken: ModelFiles = {
      ...files,
      open: (name) => files.open(name === 'onnx/model.onnx' ? 'config.json' : name),
    };
    await expect(scorerOf(broken).prepare(POSITIVE)).rejects.toThrow(
      'tiny-classifier can’t be used for text-classification: ',
    );
    const without: ModelFiles = { ...files, names: ['config.json', 'model.safetensors'] };
    await expect(scorerOf(without).prepare(POSITIVE)).rejects.toThrow(
      'tiny-classifier: a reward model needs config.json, tokenizer.json, tokenizer_config.json and an ONNX file',
    );
  });
});
