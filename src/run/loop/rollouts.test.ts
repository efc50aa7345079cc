/** The sequences that a step's scored groups become for its update, worked out by hand; log π_ref is the tiny model's own. */
import { describe, expect, test } from 'vitest';
import { defaultConfig } from '../settings/presets/presets.ts';
import type { RunConfig } from '../settings/schema/schema.ts';
import type { StopReason } from '@rl-playground/base/conversation';
import { rolloutWith } from '../testing/stepContext.ts';
import { tinyEngines } from '@rl-playground/engine/testing/tinyEngine';
import type { Sequence } from '@rl-playground/engine/parts';
import type { Engine } from '@rl-playground/engine/parts/tensors';
import { withAdvantages } from './rollouts.ts';
import type { Rollout, RolloutGroup } from '../rollouts/rollout.ts';

const engines = tinyEngines();
const PROMPT = [3, 4, 5];

interface Answer {
  readonly reward: number;
  readonly tokens?: readonly number[];
  /** The reason as sampled, and as the renderer reads it. */
  readonly sampled?: StopReason;
  readonly read?: StopReason;
}

const logprobsOf = ({ tokens = [1] }: Answer): number[] => tokens.map((_, t) => -1 - 0.25 * t);

function rolloutOf(answer: Answer, group: number): Rollout {
  const { reward, tokens = [1], sampled = 'eos', read = sampled } = answer;
  return rolloutWith({
    group,
    promptIds: PROMPT,
    tokens,
    logprobs: logprobsOf(answer),
    text: '',
    stopReason: read,
    reward: { ...rolloutWith().reward, total: reward },
    advantages: [],
    trained: null,
  });
}

const groupsOf = (answers: readonly (readonly Answer[])[]): RolloutGroup[] =>
  answers.map((group, index) => ({
    prompt: { ...rolloutWith(), index, promptIds: PROMPT },
    result: {
      policyVersion: 0,
      began: 0,
      ended: 1000,
      completions: group.map((answer) => ({
        tokens: answer.tokens ?? [1],
        logprobs: logprobsOf(answer),
        stopReason: answer.sampled ?? 'eos',
      })),
    },
    rollouts: group.map((answer) => rolloutOf(answer, index)),
  }));

const PLAIN = {
  ...defaultConfig('reverse_digits'),
  baseline: 'group',
  advantageScale: 'none',
  removeConstantGroups: false,
  maskTruncated: false,
  klPenaltyCoef: 0,
  klDiscountFactor: 0,
  temperature: 1,
  schedule: 'sync',
} as const satisfies RunConfig;

/** A rollout beside what it is trained as. */
type Row = Rollout & { readonly sequence: Sequence | null };

async function rows(
  answers: readonly (readonly Answer[])[],
  changes: Partial<RunConfig> = {},
  moving = 0,
): Promise<{ rows: Row[]; engine: Engine }> {
  const { engine } = await engines.open();
  const config: RunConfig = { ...PLAIN, ...changes };
  const { rollouts, sequences } = await withAdvantages(groupsOf(answers), moving, config, engine, () => 0);
  expect(sequences).toHaveLength(rollouts.length);
  const rows = rollouts.map((rollout, i) => ({ ...rollout, sequence: sequences[i] ?? null }));
  return { rows, engine };
}

const rewards = (...of: readonly number[]): Answer[] => of.map((reward) => ({ reward }));
const advantages = (of: readonly Row[]): number[][] => of.map((row) => [...row.advantages]);
const trainedOn = (of: readonly Row[]): boolean[] => of.map(({ sequence }) => sequence !== null);

describe('advantages', () => {
  test('every token of an answer has R less the mean of its group', async () => {
    const answers = [
      [{ reward: 1, tokens: [1, 2, 3] }, { reward: 0.5 }, { reward: 0 }],
      [{ reward: 4, tokens: [7, 8] }, { reward: 2 }],
    ];
    const { rows: found } = await rows(answers);
    expect(advantages(found)).toEqual([[0.5, 0.5, 0.5], [0], [-0.5], [1, 1], [-1]]);
    expect(found.map(({ sequence }) => sequence?.advantages)).toEqual(advantages(found));
  });

  test('σ of the batch is that of the rewards themselves, not of what is left after centring', async () => {
    const { rows: found } = await rows([rewards(1, 0), rewards(5, 4)], { advantageScale: 'batch' });
    // 1, 0, 5, 4: squares of the distances from 2.5 are 2.25, 6.25, 6.25, 2.25.
    const sigma = Math.sqrt(17 / 3);
    const expected = [0.5, -0.5, 0.5, -0.5].map((centred) => centred / (sigma + 1e-4));
    expect(found.map((row) => row.advantages[0])).toEqual(expected);
  });

  test('the moving baseline is the one that the run carries', async () => {
    const { rows: found } = await rows([rewards(1), rewards(-1)], { baseline: 'moving' }, 0.5);
    expect(advantages(found)).toEqual([[0.5], [-1.5]]);
  });
});

describe('what is left out', () => {
  const cut: Answer[] = [
    { reward: 1, tokens: [1, 2], sampled: 'max_tokens' },
    // Its last tokens spell the renderer's own mark.
    { reward: 0, tokens: [3], sampled: 'max_tokens', read: 'stop' },
    { reward: 0, tokens: [4] },
  ];

  test('answers that were cut, as the renderer reads them, where the settings say so', async () => {
    const masked = async (maskTruncated: boolean) =>
      (await rows([cut], { maskTruncated })).rows.map(({ sequence }) => sequence?.masked);
    expect(await masked(true)).toEqual([true, false, false]);
    expect(await masked(false)).toEqual([false, false, false]);
  });

  test('groups of equal rewards; of a whole batch of such the first stays, of a streamed part none', async () => {
    const removed = { removeConstantGroups: true } as const;
    const some = [rewards(1, 1), rewards(1, 0), rewards(0, 0)];
    expect(trainedOn((await rows(some)).rows)).toEqual([true, true, true, true, true, true]);
    expect(trainedOn((await rows(some, removed)).rows)).toEqual([false, false, true, true, false, false]);
    const none = [rewards(1, 1), rewards(0, 0)];
    expect(trainedOn((await rows(none, removed)).rows)).toEqual([true, true, false, false]);
    expect(trainedOn((await rows(none, { ...removed, schedule: 'stream' })).rows)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

test.each([0, 0.5])('KL shaping with γ %d averages over what is trained on and counts, alone', async (γ) => {
  const coefficient = 0.1;
  const answers: Answer[][] = [
    [
      { reward: 1, tokens: [9, 9] },
      { reward: 1, tokens: [8] },
    ],
    [
      { reward: 1, tokens: [1, 2, 3] },
      { reward: 0, tokens: [4, 5] },
    ],
    [
      { reward: 0, tokens: [6, 7], sampled: 'max_tokens' },
      { reward: 1, tokens: [7] },
    ],
  ];
  const { rows: found, engine } = await rows(answers, {
    removeConstantGroups: true,
    maskTruncated: true,
    klPenaltyCoef: coefficient,
    klDiscountFactor: γ,
  });
  const { logprobs } = await engine.computeLogprobs(
    answers.flat().map(({ tokens = [] }) => ({ promptIds: PROMPT, tokens })),
    'reference',
  );
  const COUNTED = [2, 3, 5];
  const distances = logprobs.map((row) => Array.from(row, (logprob, t) => -1 - 0.25 * t - logprob));
  const all = COUNTED.flatMap((i) => distances[i] ?? []);
  const mean = all.reduce((sum, distance) => sum + distance, 0) / all.length;
  const centred = [0, 0, 0.5, -0.5, -0.5, 0.5];
  const expected = distances.map((row, i) =>
    row.map((_, t) => {
      if (!COUNTED.includes(i)) return centred[i] ?? NaN;
      const gains = row.slice(t).map((distance, k) => γ ** k * coefficient * (mean - distance));
      return (centred[i] ?? NaN) + gains.reduce((a, b) => a + b, 0);
    }),
  );
  found.forEach((row, i) => {
    row.advantages.forEach((advantage, t) => expect(advantage).toBeCloseTo(expected[i]?.[t] ?? NaN, 6));
    if (row.sequence !== null) expect(row.sequence.advantages).toEqual(row.advantages);
  });
  expect(trainedOn(found)).toEqual([false, false, true, true, true, true]);
  // The shaping is there at all: with no discount its gains cancel out over the tokens that count.
  const gained = COUNTED.flatMap((i) => (found[i]?.advantages ?? []).map((a) => a - (centred[i] ?? NaN)));
  expect(Math.max(...gained.map(Math.abs))).toBeGreaterThan(0.01);
  if (γ === 0) expect(gained.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 6);
});

describe('advantages by a value head', () => {
  /** Reads V and log p of single answers from a script, in place of a model. */
  async function byValues(changes: Partial<RunConfig>) {
    const asked: unknown[] = [];
    const engine: Pick<Engine, 'computeLogprobs'> = {
      computeLogprobs: (sequences, of) => {
        asked.push(of);
        const rows = (values: readonly number[]) =>
          sequences.map(({ tokens }) => Float32Array.from(tokens, (_, t) => values[t] ?? NaN));
        return Promise.resolve({
          logprobs: rows(of === 'reference' ? [-1.5, -1.25, -2] : [-0.5, -0.75, -1]),
          entropies: rows([1, 1, 1]),
          values: of === 'reference' ? [] : rows([0.5, 0.25, 0.75]),
        });
      },
    };
    const answers = [[{ reward: 1, tokens: [1, 2, 3] }], [{ reward: -1, tokens: [4] }]];
    const config: RunConfig = { ...PLAIN, baseline: 'value', gaeGamma: 0.5, gaeLambda: 0.5, ...changes };
    return { asked, ...(await withAdvantages(groupsOf(answers), 9, config, engine, () => 0)) };
  }

  test('are worked out token by token, with returns beside them', async () => {
    const { rollouts, sequences, explainedVariance } = await byValues({});
    // As in valueAdvantages.test.ts; the answer of one token: −1 − ½.
    expect(advantages(rollouts as Row[])).toEqual([[-0.328125, 0.1875, 0.25], [-1.5]]);
    expect(sequences.map((sequence) => Array.from(sequence?.returns ?? []))).toEqual([
      [0.171875, 0.4375, 1],
      [-1],
    ]);
    expect(sequences.map((sequence) => Array.from(sequence?.oldValues ?? []))).toEqual([
      [0.5, 0.25, 0.75],
      [0.5],
    ]);
    // Returns have the mean 0.15234375, and R − V are the advantages, of mean −0.34765625.
    const squares = (values: readonly number[], mean: number) =>
      values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    const missed = squares([-0.328125, 0.1875, 0.25, -1.5], -0.34765625);
    expect(explainedVariance).toBeCloseTo(1 - missed / squares([0.171875, 0.4375, 1, -1], 0.15234375), 12);
    expect(sequences.every((sequence) => sequence?.oldLogprobs === undefined)).toBe(true);
  });

  test('come with the trainer’s log p of the same pass where p_old is the trainer’s', async () => {
    const { sequences } = await byValues({ oldLogprobs: 'trainer' });
    expect(sequences.map((sequence) => Array.from(sequence?.oldLogprobs ?? []))).toEqual([
      [-0.5, -0.75, -1],
      [-0.5],
    ]);
  });

  test('take the distance to the reference off the reward of each token', async () => {
    const { rollouts, asked } = await byValues({ klPenaltyCoef: 0.5, gaeGamma: 1, gaeLambda: 1 });
    expect(asked).toContain('reference');
    // log q is −1, −1.25, −1.5, so d is ½, 0, ½: rewards −¼, 0, 1 − ¼; what is to come: ½, ¾, ¾. And −1 − ¼ of one token.
    expect(advantages(rollouts as Row[])).toEqual([[0.5 - 0.5, 0.75 - 0.25, 0.75 - 0.75], [-1.25 - 0.5]]);
  });

  test('are standardized over the tokens of the step, returns apart', async () => {
    const { rollouts, sequences } = await byValues({ advantageScale: 'batch', gaeGamma: 1, gaeLambda: 1 });
    const flat = advantages(rollouts as Row[]).flat();
    // ½, ¾, ¼, −1½: mean 0, σ² = (¼ + 9/16 + 1/16 + 9/4) / 3 = 25 / 24.
    [0.5, 0.75, 0.25, -1.5].forEach((value, i) => expect(flat[i]).toBeCloseTo(value / Math.sqrt(25 / 24), 6));
    expect(sequences.map((sequence) => Array.from(sequence?.returns ?? []))).toEqual([[1, 1, 1], [-1]]);
  });
});
