/**
 * Computes one row of `npm run lab -- losses`: a step of TRL's trainer, whose options, rewards and log-probabilities are given as
 * numbers, through this project's own code: the import of TRL's options, the advantages, the cut into mini-batches, the losses and their
 * reductions, and the gradients. A table of a model's outputs, in float64, replaces the model.
 */
import * as z from 'zod';
import {
  advantagesOf,
  withEntropyTerms,
  FLOAT32,
  type WeightedLoss,
  countedTokens,
  type Sequence,
  trainOnUpdate,
} from '@rl-playground/engine/parts';
import {
  type Engine,
  exactTensor2d,
  startExactBackend,
  tf,
  lossDerivatives,
} from '@rl-playground/engine/parts/tensors';
import { messageOf } from '@rl-playground/base/errors';
import { parsedJson } from '@rl-playground/base/json';
import { importForeign, NOT_KNOWN } from '@rl-playground/bridges/settings';
import { type RunConfig, updatesPerBatch } from '@rl-playground/run/settings';
import { lossOptions } from '@rl-playground/run/loop';

const numbers = z.array(z.number());
const completion = z.looseObject({
  group: z.int(),
  rewards: z.array(z.number().nullable()).min(1),
  truncated: z.boolean().default(false),
  logp: numbers.min(1),
  entropy: numbers.optional(),
  old: numbers.optional(),
  sampler: numbers.optional(),
  ref: numbers.optional(),
});
const rowShape = z.looseObject({
  id: z.unknown(),
  options: z.record(z.string(), z.unknown()),
  vllm: z.boolean().optional(),
  num_items_in_batch: z.number().optional(),
  updates: z.array(
    z.looseObject({ micro_batches: z.array(z.looseObject({ rows: z.array(z.int().min(0)) })) }),
  ),
  rows: z.array(completion).min(1),
});
type Row = z.output<typeof rowShape>;
type Completion = z.output<typeof completion>;

export type LossRowResult =
  | {
      readonly id: unknown;
      readonly updates: readonly { readonly loss: number }[];
      readonly advantages: readonly number[];
      readonly dloss: readonly (readonly number[])[];
    }
  | { readonly id: unknown; readonly error: string };

/** Returns the result of a line of the file, or what is wrong with it. It never rejects. */
export async function lossRow(line: string): Promise<LossRowResult> {
  const json = parsedJson(line);
  if ('error' in json) return { id: null, error: `not JSON: ${json.error}` };
  const { value } = json;
  const id: unknown = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  const read = rowShape.safeParse(value);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, message }) => `${path.join('.') || 'row'}: ${message}`);
    return { id: id ?? null, error: issues.slice(0, 5).join('; ') };
  }
  try {
    return { id: id ?? null, ...(await evaluated(read.data)) };
  } catch (error) {
    return { id: id ?? null, error: messageOf(error) };
  }
}

/** TRL's options as a run of this project. @throws Error naming what can't be expressed. */
function configOf({ options, vllm }: Row): RunConfig {
  const { vllm: given, reward_weights: _, max_completion_length: longest, ...rest } = options;
  const corrects = vllm ?? given === true;
  const tree = {
    ...rest,
    use_vllm: corrects,
    ...(corrects && { vllm_importance_sampling_correction: true }),
  };
  const read = importForeign('trl', { tree, lineOf: () => null });
  if (!read.ok) throw new Error(read.errors.join(' '));
  const unbuilt = read.ignored.find(
    ({ path, value, reason }) =>
      reason.startsWith(NOT_KNOWN) || (path === 'use_adaptive_entropy' && value === true),
  );
  if (unbuilt) throw new Error(`options.${unbuilt.path}: ${unbuilt.reason}.`);
  if (read.config.klBeta > 0 && options['use_bias_correction_kl'] === undefined)
    throw new Error('options.use_bias_correction_kl is missing; with beta above 0 it must be true or false.');
  const maxTokens = typeof longest === 'number' && longest >= 1 ? longest : read.config.maxTokens;
  return { ...read.config, oldLogprobs: 'trainer', maxTokens };
}

async function evaluated(row: Row): Promise<Omit<Extract<LossRowResult, { updates: unknown }>, 'id'>> {
  checkRows(row);
  const config = configOf(row);
  const loss = lossOptions(config);
  const advantages = advantagesIn(row, config);
  const sequences = row.rows.map((each, i) => sequenceOf(each, advantages[i] ?? 0, config));
  await startExactBackend();
  checkReads(row, config);
  const table = new Table(row.rows);
  const counted = row.num_items_in_batch ?? countedTokens(sequences);
  const updates: { loss: number }[] = [];
  for (const { micro_batches } of row.updates) {
    const { record } = await trainOnUpdate(
      sequences,
      micro_batches.map(({ rows }) => rows),
      {
        engine: table.engineOf(sequences),
        loss,
        ratioToItself: row.rows.every(({ old }) => old === undefined),
        updateTokens: (Math.max(1, counted) * config.ppoEpochs) / updatesPerBatch(config),
      },
    );
    updates.push({ loss: record.loss });
  }
  const endless = [...updates.map((each) => each.loss), ...advantages, ...table.gradients.flat()].find(
    (each) => !Number.isFinite(each),
  );
  if (endless !== undefined)
    throw new Error(`The loss or one of its derivatives comes to ${endless}, which is not finite.`);
  return { updates, advantages, dloss: table.gradients };
}

/** Refuses rows without numbers that the loss reads, because missing numbers would count as zeros. */
function checkReads({ rows }: Row, { klBeta, importanceCap, importanceFloor }: RunConfig): void {
  const reads = [
    ['ref', klBeta > 0, 'beta is above 0'],
    ['sampler', importanceCap > 0 || importanceFloor > 0, 'the sampler is to be corrected for'],
  ] as const;
  for (const [name, when, why] of reads)
    rows.forEach((row, i) => {
      if (when && row[name] === undefined) throw new Error(`rows.${i}.${name} is missing, but ${why}.`);
    });
}

function checkRows({ rows, updates }: Row): void {
  rows.forEach((row, i) => {
    for (const name of ['entropy', 'old', 'sampler', 'ref'] as const) {
      const values = row[name];
      if (values !== undefined && values.length !== row.logp.length)
        throw new Error(
          `rows.${i}.${name} has ${values.length} numbers, and logp ${row.logp.length}; each token needs one.`,
        );
      if ((values === undefined) !== (rows[0]?.[name] === undefined))
        throw new Error(`rows.${i}.${name} is ${values ? 'given' : 'missing'}, unlike that of row 0.`);
    }
  });
  const seen = new Set<number>();
  for (const i of updates.flatMap(({ micro_batches }) => micro_batches.flatMap((each) => each.rows))) {
    if (i >= rows.length) throw new Error(`updates name row ${i}, and there are ${rows.length} rows.`);
    if (seen.has(i))
      throw new Error(`updates name row ${i} twice; a row has log-probabilities of one update.`);
    seen.add(i);
  }
}

/** The advantages. Rewards are compared within the groups, in the order of the rows; an answer without a given reward has the advantage 0. */
function advantagesIn({ rows, options }: Row, config: RunConfig): number[] {
  const count = Math.max(...rows.map(({ rewards }) => rewards.length));
  const given = z.array(z.number()).nullish().safeParse(options['reward_weights']);
  if (!given.success) throw new Error('options.reward_weights must be a list of numbers, or null.');
  const weightsK = given.data ?? Array.from({ length: count }, () => 1);
  if (weightsK.length !== count)
    throw new Error(`options.reward_weights has ${weightsK.length} numbers for ${count} rewards of a row.`);
  const scored = rows.flatMap(({ rewards }, i) => (rewards.some((each) => each !== null) ? [i] : []));
  const groups = [...new Set(scored.map((i) => rows[i]?.group))].map((group) =>
    scored.filter((i) => rows[i]?.group === group),
  );
  const rewardsOf = (i: number): (number | null)[] =>
    (rows[i]?.rewards ?? []).map((reward) => (reward === null ? null : Math.fround(reward)));
  const total = (rewards: readonly (number | null)[]): number =>
    rewards.reduce<number>(
      (sum, reward, k) => Math.fround(sum + Math.fround(Math.fround(weightsK[k] ?? 0) * (reward ?? 0))),
      0,
    );
  const rewards = {
    rewardsPG: groups.map((group) => group.map((i) => total(rewardsOf(i)))),
    partsPGK: groups.map((group) => group.map(rewardsOf)),
    weightsK,
  };
  const advantagesPG = advantagesOf(rewards, config, 0, FLOAT32);
  const advantages = rows.map(() => 0);
  groups.forEach((group, p) => group.forEach((i, g) => (advantages[i] = advantagesPG[p]?.[g] ?? 0)));
  return advantages;
}

function sequenceOf(row: Completion, advantage: number, { maskTruncated }: RunConfig): Sequence {
  const { logp, old, sampler, ref } = row;
  return {
    promptIds: [0],
    tokens: logp.map(() => 0),
    samplerLogprobs: sampler ?? old ?? logp,
    ...(old && { oldLogprobs: old }),
    ...(ref && { referenceLogprobs: ref }),
    advantages: logp.map(() => advantage),
    masked: maskTruncated && row.truncated,
  };
}

/** Replaces a model: log-probabilities and entropies by row, and the derivatives that would go back into it. */
class Table {
  readonly gradients: number[][];
  readonly #rows: readonly Completion[];

  constructor(rows: readonly Completion[]) {
    this.#rows = rows;
    this.gradients = rows.map(({ logp }) => logp.map(() => 0));
  }

  /** `all` has the sequence of each row, by which those of a call are found. */
  engineOf(all: readonly Sequence[]): Pick<Engine, 'forwardBackward'> {
    return {
      forwardBackward: async (sequences, loss, options) => {
        const rows = sequences.map((sequence) => all.indexOf(sequence as Sequence));
        return this.#backward(all, rows, loss as WeightedLoss, options?.ratioToItself === true);
      },
    };
  }

  async #backward(
    all: readonly Sequence[],
    rows: readonly number[],
    loss: WeightedLoss,
    ratioToItself: boolean,
  ): Promise<Awaited<ReturnType<Engine['forwardBackward']>>> {
    const values = (of: (row: Completion) => readonly number[]): number[][] =>
      rows.map((i) => [...of(this.#rows[i] as Completion)]);
    const [logprobs, entropies] = [values(({ logp }) => logp), values(({ entropy }) => entropy ?? [])];
    const { topEntropyQuantile = 1, entropyCoef = 0 } = loss;
    const readsEntropy = topEntropyQuantile < 1 || entropyCoef > 0;
    const lacking = readsEntropy ? entropies.findIndex((row) => row.length === 0) : -1;
    if (lacking >= 0) throw new Error(`rows.${rows[lacking]}.entropy is missing; the options read it.`);
    const marked = withEntropyTerms(
      rows.map((i) => all[i] as Sequence),
      { topEntropyQuantile, entropyCoef },
      entropies,
    );
    const columns = Math.max(...logprobs.map((row) => row.length));
    const grid = (of: (i: number) => ArrayLike<number>): tf.Tensor2D =>
      exactTensor2d(
        rows.map((_, i) => of(i)),
        columns,
      );
    const given = { logprob: grid((i) => logprobs[i] ?? []), entropy: grid((i) => entropies[i] ?? []) };
    const counts = (i: number): boolean => marked[i]?.masked !== true;
    const perToken = (of: (i: number) => number) => grid((i) => (logprobs[i] ?? []).map(() => of(i)));
    const held = {
      samplerLogprob: grid((i) => marked[i]?.samplerLogprobs ?? []),
      oldLogprob: ratioToItself ? given.logprob.clone() : grid((i) => marked[i]?.oldLogprobs ?? []),
      referenceLogprob: grid((i) => marked[i]?.referenceLogprobs ?? []),
      advantage: grid((i) => marked[i]?.advantages ?? []),
      mask: perToken(() => 1),
      ...(marked.some(({ kept }) => kept) && { kept: grid((i) => marked[i]?.kept ?? []) }),
    };
    const weights = perToken((i) => (counts(i) ? loss.weightOf(i) : 0));
    const entropyWeights = marked.some((sequence) => sequence.entropyWeights)
      ? grid((i) => (counts(i) ? (marked[i]?.entropyWeights ?? []) : []))
      : null;
    const { value, dlogprob, dentropy } = lossDerivatives(
      loss.tokenLoss,
      held,
      given,
      weights,
      entropyWeights,
    );
    const [[total = NaN], gradient] = [await value.data(), await dlogprob.data()];
    rows.forEach((row, i) => {
      const own = logprobs[i]?.length ?? 0;
      this.gradients[row] = Array.from(gradient.subarray(i * columns, i * columns + own));
    });
    tf.dispose([value, dlogprob, dentropy, weights, ...Object.values(given), ...Object.values(held)]);
    if (entropyWeights) entropyWeights.dispose();
    return {
      loss: total,
      logprobs: logprobs.map((row) => Float32Array.from(row)),
      entropies: entropies.map((row) => Float32Array.from(row)),
    };
  }
}
