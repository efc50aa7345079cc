/** Batched decoding with sampling on the host: the path of `wasm`, and the twin that the GPU decoder is compared with. */
import { batchSize, ContinuousBatch, type Row } from './decoding/continuousBatching.ts';
import {
  checkLengths,
  decodedConfig,
  type DecodeOptions,
  type Decoder,
  type GeneratorModel,
} from './decoding/decoder.ts';
import type { ModelConfig } from '../model/config.ts';
import type { FrozenBase } from '../model/frozenBase.ts';
import { MergedBase } from '../model/mergedBase.ts';
import {
  checkAdapter,
  LoraWeights,
  poolOf,
  refuseAdapter,
  weightsOf,
  type WeightBytes,
  type WeightPrecision,
} from './decoding/weights.ts';
import { withLogitNoise } from './decoding/logitNoise.ts';
import { withRepetitionPenalty } from './repetitionPenalty.ts';
import { drawToken, positionKey, rowKey } from './decoding/sampler.ts';
import { StepExecutor, type RowLogits } from './stepExecutor.ts';
import { stopMatcherOf } from './decoding/stopStrings.ts';
import type { GroupRequest, SampledCompletion, SamplingSettings } from './decoding/types.ts';

export class HostDecoder implements Decoder {
  readonly #model: GeneratorModel;
  readonly #executor: StepExecutor;
  readonly #config: ModelConfig;
  readonly #lora: LoraWeights | null;
  readonly #precision: WeightPrecision;
  /** The weights that the executor has not been given yet. */
  #news: 'weights' | 'adapter' | null = null;
  /** The waiting weights; under LoRA they are in `LoraWeights`. */
  #waiting: WeightBytes | null = null;
  /** The base beside which adapters act unmerged. */
  #frozen: FrozenBase | null = null;
  /** The copies of a frozen base's matrices into which adapters are merged. */
  #merged: MergedBase | null = null;

  /** `precision` is that of weights merged under LoRA: with f16 their matrices are rounded to halves. */
  constructor(model: GeneratorModel, precision: WeightPrecision) {
    this.#precision = precision;
    this.#model = model;
    this.#executor = new StepExecutor(model);
    this.#config = decodedConfig(model);
    this.#lora = model.lora && !model.frozen ? new LoraWeights(model.config, model.lora) : null;
  }

  setWeights(weights: WeightBytes): void {
    if (this.#lora) this.#lora.setBase(weights);
    else this.#waiting = weights;
    this.#news = 'weights';
  }

  setBase(base: FrozenBase): void {
    const { config, lora, merged } = this.#model;
    this.#frozen = base;
    this.#merged?.dispose();
    this.#merged = lora && merged === true ? new MergedBase(config, base, lora) : null;
    const used = this.#merged ? base.over(this.#merged.config, this.#merged.matrices) : base;
    this.#executor.setFrozen(used, null);
  }

  setAdapter(factors: Float32Array): void {
    if (this.#merged) {
      checkAdapter(this.#model, factors);
      this.#merged.merge(factors);
      return;
    }
    if (this.#frozen) {
      this.#executor.setFrozen(this.#frozen, factors);
      return;
    }
    if (!this.#lora) refuseAdapter();
    this.#lora.setAdapter(factors);
    this.#news ??= 'adapter';
  }

  settle(): void {
    if (this.#news === null) return;
    if (this.#news === 'weights') this.#executor.setWeights(this.#pool());
    this.#waiting = null;
    const { plan, base, factors } = this.#lora ?? {};
    if (plan && base && factors) this.#executor.merge(plan, base, factors, this.#precision === 'f16');
    this.#news = null;
  }

  #pool(): Float32Array {
    if (this.#lora) {
      const pool = this.#lora.wideBase;
      const precision = this.#precision;
      return precision === 'f32' ? pool : poolOf(this.#config, weightsOf(this.#config, pool, precision));
    }
    if (!this.#waiting) throw new Error('The generator has no weights yet.');
    return poolOf(this.#config, this.#waiting);
  }

  dispose(): void {
    this.#executor.dispose();
    this.#merged?.dispose();
  }

  async generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: DecodeOptions,
  ): Promise<SampledCompletion[][]> {
    const { stopTokenIds, tokenBytes, cacheBytes, cachePrecision } = this.#model;
    checkLengths(this.#model, requests, sampling);
    const matcher = stopMatcherOf(tokenBytes, sampling.stop);
    this.settle();
    const size = batchSize(this.#config, requests, sampling.maxTokens, cacheBytes, cachePrecision);
    const schedule = new ContinuousBatch(
      requests,
      sampling.maxTokens,
      new Set(stopTokenIds),
      size.slots,
      matcher,
      options.onGroup,
    );
    this.#executor.open(size);
    try {
      await this.#run(schedule, sampling, options);
    } finally {
      this.#executor.close();
    }
    return schedule.results();
  }

  async #run(
    schedule: ContinuousBatch,
    sampling: SamplingSettings,
    { signal, onProgress, breathe }: DecodeOptions,
  ): Promise<void> {
    /** The logits after the prompt in each place, until the last row of its group has entered. */
    const promptLogits = new Map<number, RowLogits>();
    for (;;) {
      signal?.throwIfAborted();
      const entered = await this.#enter(schedule, sampling, promptLogits);
      const rows = [...schedule.active];
      if (rows.length > 0) {
        const places = {
          ids: Int32Array.from(rows, ({ tokens }) => tokens.at(-1) ?? 0),
          positions: Int32Array.from(
            rows,
            ({ request, tokens }) => request.promptIds.length + tokens.length - 1,
          ),
          slots: Int32Array.from(rows, ({ slot }) => slot),
        };
        const logitsOf = await this.#executor.advance(places, sampling);
        rows.forEach((row, i) => this.#draw(schedule, row, logitsOf(i), sampling));
      } else if (!entered) return;
      onProgress?.(schedule.progress);
      await breathe();
    }
  }

  /** Fills free slots, and draws the first token of each new row. Returns whether any entered. */
  async #enter(
    schedule: ContinuousBatch,
    sampling: SamplingSettings,
    promptLogits: Map<number, RowLogits>,
  ): Promise<boolean> {
    const { prompts, rows } = schedule.admit();
    const atOnce = this.#executor.promptsAtOnce;
    for (let first = 0; first < prompts.length; first += atOnce) {
      const some = prompts.slice(first, first + atOnce);
      const logitsOf = await this.#executor.prefill(
        some.map(({ request, place }) => ({ ids: request.promptIds, place })),
        sampling,
      );
      some.forEach(({ place }, i) => promptLogits.set(place, logitsOf(i)));
    }
    for (const row of rows) {
      const logits = promptLogits.get(row.place);
      if (!logits) throw new Error(`The prompt in place ${row.place} was not prefilled.`);
      this.#draw(schedule, row, logits, sampling);
      if (row.sample === row.request.samples - 1) promptLogits.delete(row.place);
    }
    const staying = rows.filter(({ stopReason }) => stopReason === null);
    this.#executor.fork(
      staying.map(({ place, slot, request }) => ({ place, slot, length: request.promptIds.length })),
    );
    return rows.length > 0;
  }

  #draw(schedule: ContinuousBatch, row: Row, { logits, mass }: RowLogits, sampling: SamplingSettings): void {
    const { request, sample, tokens } = row;
    const key = positionKey(rowKey(request.seed, request.step, request.problem, sample), tokens.length);
    const { logitNoise = 0, repetitionPenalty = 1 } = sampling;
    const seen = logitNoise > 0 ? withLogitNoise(logits, logitNoise, key) : logits;
    const drawnBy =
      repetitionPenalty === 1
        ? seen
        : withRepetitionPenalty(seen, repetitionPenalty, request.promptIds, tokens);
    const { token, logprob } = drawToken(seen, sampling, key, this.#model.drawableIds, drawnBy, mass);
    schedule.append(row, token, logprob);
  }
}
