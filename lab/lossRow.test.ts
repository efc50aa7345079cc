/** Steps of TRL's trainer as it computed them itself, and rows that are none. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeShared } from '@rl-playground/base/testing/shared';
import { captured } from '../src/cli/testing/captured.ts';
import losses from './losses.ts';
import { lossRow } from './lossRow.ts';

interface Case {
  readonly id: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly num_items_in_batch: number;
  readonly updates: readonly {
    readonly loss: number;
    readonly micro_batches: readonly { readonly rows: readonly number[] }[];
  }[];
  readonly rows: readonly (Readonly<Record<string, unknown>> & {
    readonly rewards: readonly number[];
    readonly advantage: number;
    readonly logp: readonly number[];
    readonly dloss: readonly number[];
  })[];
}

/** The inputs of a row: none of them was computed by TRL. */
const INPUTS = [
  'group',
  'rewards',
  'truncated',
  'logp',
  'entropy',
  'old',
  'sampler',
  'ref',
  'logits',
  'tokens',
];

function withoutAnswers({ id, options, num_items_in_batch, updates, rows }: Case): string {
  return JSON.stringify({
    id,
    options,
    num_items_in_batch,
    updates: updates.map(({ micro_batches }) => ({
      micro_batches: micro_batches.map((each) => ({ rows: each.rows })),
    })),
    rows: rows.map((row) => Object.fromEntries(INPUTS.map((name) => [name, row[name]]))),
  });
}

interface Evaluated {
  readonly updates: readonly { readonly loss: number }[];
  readonly advantages: readonly number[];
  readonly dloss: readonly (readonly number[])[];
}

async function evaluated(line: string): Promise<Evaluated> {
  const result = await lossRow(line);
  if ('error' in result) throw new Error(result.error);
  return result;
}

/**
 * The tolerance, which is that of f32 numbers of either kind. TRL's README allows 1e-3 for rewards that hardly differ, which rounding as
 * TRL does makes unnecessary.
 */
const TOLERANCE = 1e-6;

describeShared('TRL’s own numbers', 'refdata/trl/losses.jsonl', (path) => {
  const cases =
    path === ''
      ? []
      : readFileSync(path, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Case);

  it('are 326 cases', () => expect(cases).toHaveLength(326));

  it.each(cases.map((each) => [each.id, each] as const))('%s', async (_, each) => {
    const found = await evaluated(withoutAnswers(each));
    each.updates.forEach(({ loss }, u) => {
      const difference = Math.abs((found.updates[u]?.loss ?? NaN) - loss);
      expect(difference).toBeLessThanOrEqual(TOLERANCE * Math.max(1, Math.abs(loss)));
    });
    const largest = Math.max(...each.rows.flatMap(({ dloss }) => dloss.map(Math.abs)));
    each.rows.forEach(({ advantage, dloss }, i) => {
      expect(Math.abs((found.advantages[i] ?? NaN) - advantage)).toBeLessThanOrEqual(
        TOLERANCE * Math.max(1, Math.abs(advantage)),
      );
      expect(found.dloss[i]).toHaveLength(dloss.length);
      dloss.forEach((derivative, t) =>
        expect(Math.abs((found.dloss[i]?.[t] ?? NaN) - derivative)).toBeLessThanOrEqual(
          TOLERANCE * largest + 1e-15,
        ),
      );
    });
  });
});

const OPTIONS = {
  loss_type: 'grpo',
  beta: 0,
  scale_rewards: 'none',
  per_device_train_batch_size: 2,
  gradient_accumulation_steps: 1,
  steps_per_generation: 1,
  num_generations: 2,
  max_completion_length: 4,
};
const ROWS = [
  { group: 0, rewards: [1], truncated: false, logp: [-1, -2] },
  { group: 0, rewards: [0], truncated: false, logp: [-3] },
];
const rowWith = (options: object = {}, changes: object = {}): string =>
  JSON.stringify({
    id: 'own',
    options: { ...OPTIONS, ...options },
    updates: [{ micro_batches: [{ rows: [0, 1] }] }],
    rows: ROWS,
    ...changes,
  });

describe('a row worked out by hand', () => {
  it('GRPO on-policy: A = ±½, w = 1 / (B T), dℓ = −w A', async () => {
    expect(await lossRow(rowWith())).toEqual({
      id: 'own',
      updates: [{ loss: 0 }],
      advantages: [0.5, -0.5],
      dloss: [[-0.125, -0.125], [0.25]],
    });
  });

  it('two updates of DAPO divide by the mean tokens of an update, 3 / 2', async () => {
    const updates = [{ micro_batches: [{ rows: [0] }] }, { micro_batches: [{ rows: [1] }] }];
    const options = { loss_type: 'dapo', per_device_train_batch_size: 1, steps_per_generation: 2 };
    const old = ROWS.map((row) => ({ ...row, old: row.logp }));
    const { dloss } = await evaluated(rowWith(options, { updates, rows: old }));
    [-1, -1, 1].forEach((each, i) => expect(3 * (dloss.flat()[i] ?? NaN)).toBeCloseTo(each, 12));
  });

  it('takes an entropy bonus off the loss, and no derivative by log p', async () => {
    const rows = ROWS.map((row) => ({ ...row, entropy: row.logp.map(() => 2) }));
    const { updates, dloss } = await evaluated(rowWith({ entropy_coef: 0.1 }, { rows }));
    expect(updates[0]?.loss).toBeCloseTo(-0.2, 12);
    expect(dloss).toEqual([[-0.125, -0.125], [0.25]]);
  });

  it('gives an answer without any reward the advantage 0, and leaves it out of its group', async () => {
    const more = [...ROWS, { ...ROWS[1], rewards: [null] }];
    const updates = [{ micro_batches: [{ rows: [0, 1, 2] }] }];
    const sizes = { per_device_train_batch_size: 3, num_generations: 3 };
    expect((await evaluated(rowWith(sizes, { rows: more, updates }))).advantages).toEqual([0.5, -0.5, 0]);
  });
});

describe('a row that can’t be evaluated', () => {
  it.each<[what: string, line: string, id: unknown, words: string]>([
    ['no JSON', 'own', null, 'not JSON'],
    ['no object', '[1]', null, 'row: '],
    ['no rows', '{"id": 7, "options": {}, "updates": []}', 7, 'rows: '],
    ['a loss that there is not', rowWith({ loss_type: 'pg' }), 'own', 'loss_type: "pg" does not exist'],
    ['an option that nobody knows', rowWith({ temprature: 2 }), 'own', 'temprature: nothing of that name'],
    ['adaptive entropy', rowWith({ use_adaptive_entropy: true }), 'own', 'use_adaptive_entropy: '],
    [
      'unlike lengths',
      rowWith({}, { rows: [{ ...ROWS[0], old: [-1] }, ROWS[1]] }),
      'own',
      'rows.0.old has 1 numbers, and logp 2',
    ],
    [
      'log p_old of some',
      rowWith({}, { rows: [{ ...ROWS[0], old: [-1, -2] }, ROWS[1]] }),
      'own',
      'rows.1.old is missing',
    ],
    [
      'a row that is none',
      rowWith({}, { updates: [{ micro_batches: [{ rows: [0, 5] }] }] }),
      'own',
      'updates name row 5, and there are 2 rows',
    ],
    [
      'a row twice',
      rowWith({}, { updates: [{ micro_batches: [{ rows: [0, 0] }] }] }),
      'own',
      'updates name row 0 twice',
    ],
    ['weights for other rewards', rowWith({ reward_weights: [1, 2] }), 'own', 'has 2 numbers for 1 rewards'],
    ['entropies that are missing', rowWith({ entropy_coef: 0.1 }), 'own', 'rows.0.entropy is missing'],
    [
      'a reference that is missing',
      rowWith({ beta: 1, use_bias_correction_kl: true }),
      'own',
      'rows.0.ref is',
    ],
    ['a correction without a sampler', rowWith({}, { vllm: true }), 'own', 'rows.0.sampler is missing'],
    [
      'a KL term of which nobody says how it is weighed',
      rowWith({ beta: 1 }, { rows: ROWS.map((row) => ({ ...row, ref: row.logp })) }),
      'own',
      'use_bias_correction_kl is missing',
    ],
    [
      'a reward beyond f32',
      rowWith({}, { rows: [{ ...ROWS[0], rewards: [1e39] }, ROWS[1]] }),
      'own',
      'is not finite',
    ],
  ])('says why: %s', async (_, line, id, words) => {
    expect(await lossRow(line)).toEqual({ id, error: expect.stringContaining(words) as string });
  });
});

describe('npm run lab -- losses', () => {
  const folder = mkdtempSync(join(tmpdir(), 'losses-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('prints a line for each line, in order, and ends well even where one is wrong', async () => {
    const path = join(folder, 'rows.jsonl');
    writeFileSync(path, `${rowWith()}\nnot a row\n${rowWith({}, { id: 2 })}\n`);
    const { code, stdout } = await captured(losses, path);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual(['own', null, 2]);
  });
});
