/**
 * Checks answers of strangers. The log-probability of every token is computed again with the weights of the request, and compared. Each
 * token must be the one that its counted draws give from the same logits, within rounding (`drawChecks.ts`). A share of the groups is
 * generated again here, if the machine computes as this one does; those must be equal to the bit. A number that is known here alone
 * chooses these groups, and the tokens of a large vocabulary that are checked: a stranger who could predict them would cheat with the
 * others.
 */
import { drawsFor, shuffled } from '@rl-playground/base/random';
import {
  millisecondsNow,
  type GeneratorModel,
  withRepetitionPenalty,
  positionKey,
  rowKey,
  type GeneratorPool,
  type GroupRequest,
  type SampledCompletion,
  type SamplingSettings,
  type WeightPrecision,
} from '@rl-playground/engine/parts';
import {
  Adapter,
  LanguageModel,
  ModelWeights,
  createLocalPool,
  poolOf,
} from '@rl-playground/engine/parts/tensors';
import { sameToTheBit } from '@rl-playground/run/environment/computation';
import { shortfall } from './drawChecks.ts';
import { recomputed, type Place, type Recomputed } from './recomputed.ts';
import type { WeightsOnShelf } from './weightShelf.ts';

/** The share of the groups whose draws are made again. */
export const REPLAYED = 0.05;
/** The largest |Δ log p| of a token, at temperature 1 and above, that rounding explains, in nats. It was measured (lab/notes/machines.md). */
const LARGEST_GAP = 0.02;
/** The same limit if generators round on purpose. */
const LARGEST_ROUNDED_GAP = 0.5;
/** The nats by which a token may miss its draw: two scores that are so near can change places by rounding, or on purpose. */
const LARGEST_MISS = 0.005;
/** The most logits of a group: 16 MB. */
const MOST_LOGITS = 2 ** 22;

export interface Inspected {
  /** |Δ log p| over the tokens, in nats. */
  readonly gaps: { readonly largest: number; readonly mean: number };
  readonly replayed: boolean;
  /** The error of the answer in words; null if it is sound. */
  readonly wrong: string | null;
}

export interface Answered {
  readonly weights: WeightsOnShelf;
  readonly request: GroupRequest;
  readonly sampling: SamplingSettings;
  readonly completions: readonly SampledCompletion[];
  readonly computation: string;
}

export interface InspectorOptions {
  readonly computation: string;
  /** Chooses the groups that are replayed, and the tokens of a large vocabulary that are checked. */
  readonly seed?: number;
  readonly share?: number;
  /** The most logits of a group by which its draws are checked: all of a small vocabulary, those of some tokens of a large one. */
  readonly mostLogits?: number;
}

export class Inspector {
  readonly #model: GeneratorModel;
  readonly #precision: WeightPrecision;
  readonly #options: Required<InspectorOptions>;
  /** The model with which answers are computed again, and the weights that it holds now. */
  #checker: { readonly of: WeightsOnShelf; readonly model: LanguageModel } | null = null;
  #base: { readonly of: WeightsOnShelf['pool']; readonly weights: ModelWeights } | null = null;
  #replayer: GeneratorPool | null = null;
  #replayed: WeightsOnShelf | null = null;
  #deliveries = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #seconds = 0;
  #disposed = false;

  /** Inspects on the running backend, in the caller's thread. `precision` is that of generators. */
  constructor(model: GeneratorModel, precision: WeightPrecision, options: InspectorOptions) {
    this.#model = { ...model, besidePage: true };
    this.#precision = precision;
    const [secret = 0] = crypto.getRandomValues(new Uint32Array(1));
    this.#options = { seed: secret, share: REPLAYED, mostLogits: MOST_LOGITS, ...options };
  }

  /** The seconds that checking answers has taken. */
  get seconds(): number {
    return this.#seconds;
  }

  /** Inspects answers one after the other. @throws Error if the device fails. */
  inspect(answered: Answered): Promise<Inspected> {
    const turn = this.#turn.then(async () => {
      const began = millisecondsNow();
      try {
        return await this.#inspect(answered);
      } finally {
        this.#seconds += (millisecondsNow() - began) / 1000;
      }
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #inspect(answered: Answered): Promise<Inspected> {
    if (this.#disposed) throw new Error('The run has ended.');
    const { weights, request, sampling, completions } = answered;
    const temperature = sampling.temperature === 0 ? 1 : sampling.temperature;
    const looked = this.#lookedAt(answered);
    const wants = ({ answer, token }: Place): boolean => looked?.get(answer)?.has(token) ?? looked === null;
    const found = await recomputed(this.#checkerOf(weights), request, completions, temperature, wants);
    const gaps = gapsBetween(completions, found);
    const wrong = this.#wrongGap(gaps, sampling) ?? this.#wrongDraw(answered, found);
    if (wrong !== null || !this.#isReplayed(answered)) return { gaps, replayed: false, wrong };
    return { gaps, replayed: true, wrong: await this.#replay(answered) };
  }

  /** True if generators round weights, activations, or keys and values on purpose. */
  get #rounds(): boolean {
    const { lora, merged, products = 'exact', cachePrecision } = this.#model;
    if (merged === true || products !== 'exact' || cachePrecision === 'f16') return true;
    return lora !== undefined && this.#precision === 'f16';
  }

  #wrongGap({ largest }: Inspected['gaps'], { temperature }: SamplingSettings): string | null {
    const allowed = (this.#rounds ? LARGEST_ROUNDED_GAP : LARGEST_GAP) / scaleOf(temperature);
    return largest <= allowed
      ? null
      : `the log-probability of a token is ${largest.toPrecision(2)} from the trainer's own; rounding explains up to ${allowed.toPrecision(2)}`;
  }

  /** The tokens of each answer whose draws are checked; null for all. */
  #lookedAt({ request: { seed, step, problem }, completions }: Answered): Map<number, Set<number>> | null {
    const most = Math.max(1, Math.floor(this.#options.mostLogits / this.#model.config.vocabSize));
    const places = completions.flatMap(({ tokens }, answer) => tokens.map((_, token) => ({ answer, token })));
    if (places.length <= most) return null;
    const chosen = new Map<number, Set<number>>();
    const draw = drawsFor(this.#options.seed, seed, step, problem, 1);
    for (const { answer, token } of shuffled(draw, places).slice(0, most))
      chosen.set(answer, (chosen.get(answer) ?? new Set()).add(token));
    return chosen;
  }

  #wrongDraw({ request, sampling, completions }: Answered, { rows }: Recomputed): string | null {
    const { seed, step, problem, promptIds } = request;
    const { temperature, repetitionPenalty: penalty = 1 } = sampling;
    const allowed = (this.#rounds ? LARGEST_ROUNDED_GAP : LARGEST_MISS) / scaleOf(temperature);
    const slack = allowed * Math.max(penalty, 1 / penalty);
    for (const { answer, token: position, logits } of rows) {
      const tokens = completions[answer]?.tokens ?? [];
      const drawable = logits.subarray(0, this.#model.drawableIds);
      const before = tokens.slice(0, position);
      const drawnBy = penalty === 1 ? drawable : withRepetitionPenalty(drawable, penalty, promptIds, before);
      const key = positionKey(rowKey(seed, step, problem, answer), position);
      const missed = shortfall(drawnBy, tokens[position] ?? Number.NaN, sampling, key, slack);
      if (!(missed <= slack))
        return `token ${position + 1} of answer ${answer + 1} of ${completions.length} is not the one that its draws give: it misses by ${missed.toPrecision(2)}; rounding explains up to ${slack.toPrecision(2)}`;
    }
    return null;
  }

  #checkerOf(weights: WeightsOnShelf): LanguageModel {
    if (this.#checker?.of === weights) return this.#checker.model;
    const { config, lora, positions } = this.#model;
    this.#disposeChecker();
    const base = weights.frozen ?? this.#baseOf(weights);
    const adapter = lora && weights.factors ? new Adapter(config, lora, weights.factors) : null;
    const model = new LanguageModel(base, positions, adapter);
    this.#checker = { of: weights, model };
    return model;
  }

  /** The base of the checker, which many versions of an adapter share. */
  #baseOf({ pool }: WeightsOnShelf): ModelWeights {
    if (pool === null) throw new Error('There are no weights to check answers with.');
    if (this.#base?.of === pool) return this.#base.weights;
    this.#base?.weights.dispose();
    const weights = new ModelWeights(this.#model.config, poolOf(this.#model.config, pool));
    this.#base = { of: pool, weights };
    return weights;
  }

  #disposeChecker(): void {
    this.#checker?.model.dispose({ keepWeights: true });
    this.#checker = null;
  }

  #isReplayed({ request: { seed, step, problem }, computation }: Answered): boolean {
    const { share, seed: secret, computation: own } = this.#options;
    return sameToTheBit(computation, own) && drawsFor(secret, seed, step, problem)() < share;
  }

  async #replay({ weights, request, sampling, completions }: Answered): Promise<string | null> {
    const pool = await this.#replayerWith(weights);
    const [group] = await pool.generate([request], sampling);
    const same = (one: readonly number[], other: readonly number[] = []): boolean =>
      one.length === other.length && one.every((value, i) => value === other[i]);
    const odd = completions.findIndex(({ tokens, logprobs }, i) => {
      const own = group?.completions[i];
      return !(same(tokens, own?.tokens) && same(logprobs, own?.logprobs));
    });
    if (odd < 0) return null;
    return `the draws of answer ${odd + 1} of ${completions.length}, made again here, give other tokens or log-probabilities`;
  }

  /** The generator with these weights. Versions go back and forth here, so each hand-over counts as a version of its own. */
  async #replayerWith(weights: WeightsOnShelf): Promise<GeneratorPool> {
    this.#replayer ??= createLocalPool(this.#model, this.#precision);
    const before = this.#replayed;
    if (before === weights) return this.#replayer;
    const version = ++this.#deliveries;
    const { frozen, pool, factors } = weights;
    if (frozen && before?.frozen !== frozen) await this.#replayer.setBase(version, frozen);
    if (pool && before?.pool !== pool)
      await this.#replayer.setWeights(version, poolOf(this.#model.config, pool));
    if (factors) await this.#replayer.setAdapter(version, factors);
    this.#replayed = weights;
    return this.#replayer;
  }

  /** Frees everything except a frozen base, which belongs to its owner. */
  dispose(): void {
    this.#disposed = true;
    void this.#turn.then(() => {
      this.#disposeChecker();
      this.#base?.weights.dispose();
      this.#replayer?.dispose();
    });
  }
}

const scaleOf = (temperature: number): number => (temperature === 0 ? 1 : Math.min(1, temperature));

function gapsBetween(completions: readonly SampledCompletion[], { logprobs }: Recomputed): Inspected['gaps'] {
  let [largest, sum, count] = [0, 0, 0];
  for (const [i, { logprobs: said }] of completions.entries())
    for (const [j, logprob] of said.entries()) {
      const gap = Math.abs(logprob - (logprobs[i]?.[j] ?? Number.NaN));
      // NaN must not pass for a small number.
      largest = Number.isNaN(gap) ? Number.POSITIVE_INFINITY : Math.max(largest, gap);
      sum += gap;
      count++;
    }
  return { largest, mean: sum / count };
}
