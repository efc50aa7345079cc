/**
 * What answers of strangers are worth. The log-probability of every token is computed again, with the weights that were asked, and
 * compared; of the same logits each token must be the one that its counted draws give, but for what rounding explains (`drawChecks.ts`). Of a share of the
 * groups the whole answer is made again here, where the machine computes as this one does: there nothing may differ. Which groups those are, and which tokens
 * of a large vocabulary are looked at, depends on a number that is known here alone: whoever could foretell it would cheat with the others.
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

/** Share of the groups whose draws are made again. */
export const REPLAYED = 0.05;
/** The largest |Δ log p| of a token, at temperature 1 and above, that rounding explains; nats. Measured: lab/notes/machines.md. */
const LARGEST_GAP = 0.02;
/** The same where generators round weights or keys and values to 16 bit on purpose. */
const LARGEST_ROUNDED_GAP = 0.5;
/** Nats by which a token may miss its draw: so near to each other two scores can change places by rounding, or on purpose. */
const LARGEST_MISS = 0.005;
/** 16 MB. */
const MOST_LOGITS = 2 ** 22;

export interface Inspected {
  /** |Δ log p| over the tokens; nats. */
  readonly gaps: { readonly largest: number; readonly mean: number };
  readonly replayed: boolean;
  /** What is wrong with the answer, in words. */
  readonly wrong: string | null;
}

export interface Answered {
  readonly weights: WeightsOnShelf;
  readonly request: GroupRequest;
  readonly sampling: SamplingSettings;
  readonly completions: readonly SampledCompletion[];
  /** Of the machine. */
  readonly computation: string;
}

export interface InspectorOptions {
  /** The trainer's. */
  readonly computation: string;
  /** Decides which groups are replayed, and which tokens of a large vocabulary are looked at. */
  readonly seed?: number;
  readonly share?: number;
  /** Of a group, that its draws are looked at by: all of a small vocabulary, some tokens' of a large one. */
  readonly mostLogits?: number;
}

export class Inspector {
  readonly #model: GeneratorModel;
  readonly #precision: WeightPrecision;
  readonly #options: Required<InspectorOptions>;
  /** The weights that answers are computed again with, and the ones that it holds now. */
  #checker: { readonly of: WeightsOnShelf; readonly model: LanguageModel } | null = null;
  #base: { readonly of: WeightsOnShelf['pool']; readonly weights: ModelWeights } | null = null;
  #replayer: GeneratorPool | null = null;
  #replayed: WeightsOnShelf | null = null;
  #deliveries = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #seconds = 0;
  #disposed = false;

  /** On the running backend, in the caller's thread. `precision`: of generators. */
  constructor(model: GeneratorModel, precision: WeightPrecision, options: InspectorOptions) {
    this.#model = { ...model, besidePage: true };
    this.#precision = precision;
    const [secret = 0] = crypto.getRandomValues(new Uint32Array(1));
    this.#options = { seed: secret, share: REPLAYED, mostLogits: MOST_LOGITS, ...options };
  }

  /** That looking at answers has taken. */
  get seconds(): number {
    return this.#seconds;
  }

  /** One after the other. @throws where the device can't. */
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

  /** Whether generators round weights or keys and values to 16 bit on purpose. */
  get #rounds(): boolean {
    const { lora, merged, cachePrecision } = this.#model;
    return merged === true || cachePrecision === 'f16' || (lora !== undefined && this.#precision === 'f16');
  }

  #wrongGap({ largest }: Inspected['gaps'], { temperature }: SamplingSettings): string | null {
    const allowed = (this.#rounds ? LARGEST_ROUNDED_GAP : LARGEST_GAP) / scaleOf(temperature);
    return largest <= allowed
      ? null
      : `the log-probability of a token is ${largest.toPrecision(2)} from the trainer's own; rounding explains up to ${allowed.toPrecision(2)}`;
  }

  /** The tokens whose draws are checked, of each answer; null for all. */
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
    const adapter = lora && weights.factors ? Adapter.fromPacked(config, lora, weights.factors) : null;
    const model = new LanguageModel(base, positions, adapter);
    this.#checker = { of: weights, model };
    return model;
  }

  /** The base of the checker, which many versions of an adapter share. */
  #baseOf({ pool }: WeightsOnShelf): ModelWeights {
    if (pool === null) throw new Error('There are no weights to check answers with.');
    if (this.#base?.of === pool) return this.#base.weights;
    this.#base?.weights.dispose();
    const weights = ModelWeights.fromPacked(this.#model.config, poolOf(this.#model.config, pool));
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

  /** Versions go back and forth here, so what the generator is given counts as a version of its own. */
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

  /** A base that was frozen stays its owner's. */
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
      // A number that is none must not pass for a small one.
      largest = Number.isNaN(gap) ? Number.POSITIVE_INFINITY : Math.max(largest, gap);
      sum += gap;
      count++;
    }
  return { largest, mean: sum / count };
}
