/**
 * Batched decoding with a key/value cache. Each prompt is prefilled once and its cache copied to the slots of its group;
 * then all rows advance together, one token a round, and rows that have ended leave the batch.
 */
import * as tf from '../backend/tf.ts';
import {
  causalAttention,
  decodeAttention,
  embedding,
  fillCache,
  gemm,
  rmsNorm,
  type LayerCache,
} from '../kernels/index.ts';
import { afterAttention, blockParameterNames, blockParameters, queriesKeysValues } from '../model/block.ts';
import type { LanguageModel } from '../model/languageModel.ts';
import { uniformAt } from './random.ts';
import { drawToken } from './sampler.ts';
import type { GroupRequest, SampledCompletion, SamplingProgress, SamplingSettings } from './types.ts';

/** Rows decoded together at most: bounds the cache's memory. */
const MAX_ROWS = 128;
/** Cache capacity and prompt padding are multiples of it, so that few buffer sizes ever exist. */
const LENGTH_STEP = 16;

const roundUp = (value: number): number => Math.ceil(value / LENGTH_STEP) * LENGTH_STEP;

interface Row {
  readonly request: GroupRequest;
  readonly sample: number;
  readonly slot: number;
  readonly tokens: number[];
  readonly logprobs: number[];
  stopReason: SampledCompletion['stopReason'] | null;
}

export interface EngineOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SamplingProgress) => void;
  /** Awaited once a round, so that messages can be heard. */
  readonly breathe: () => Promise<void>;
}

export class DecodeEngine {
  readonly #model: LanguageModel;
  readonly #stopTokens: ReadonlySet<number>;
  /** The head as [D, V]: on wasm an untransposed product that lives as long as the weights is packed once. */
  readonly #head: tf.Tensor;

  constructor(model: LanguageModel, stopTokenIds: readonly number[]) {
    this.#model = model;
    this.#stopTokens = new Set(stopTokenIds);
    this.#head = tf.keep(tf.transpose(model.weights.head));
  }

  /** Frees what the engine added to the model; the model itself stays. */
  dispose(): void {
    this.#head.dispose();
  }

  /** Completions per request, in order. Throws the signal's reason when aborted. */
  async generate(
    requests: readonly GroupRequest[],
    sampling: SamplingSettings,
    options: EngineOptions,
  ): Promise<SampledCompletion[][]> {
    const total = requests.reduce((sum, request) => sum + request.samples, 0);
    const results: SampledCompletion[][] = requests.map(() => []);
    let finished = 0;
    let tokens = 0;
    for (const batch of splitRows(requests)) {
      const rows = await this.#decode(batch, sampling, options, (drawn, ended) => {
        tokens += drawn;
        finished += ended;
        options.onProgress?.({ tokens, finished, total });
      });
      for (const row of rows) {
        const { tokens: ids, logprobs, stopReason } = row;
        results[requests.indexOf(row.request)]?.push({
          tokens: ids,
          logprobs,
          stopReason: stopReason ?? 'max_tokens',
        });
      }
    }
    return results;
  }

  async #decode(
    parts: readonly RowRange[],
    sampling: SamplingSettings,
    options: EngineOptions,
    count: (drawn: number, ended: number) => void,
  ): Promise<Row[]> {
    const prompts = parts.map((part) => part.request.promptIds);
    const promptLength = roundUp(Math.max(...prompts.map((prompt) => prompt.length)));
    const capacity = roundUp(promptLength + sampling.maxTokens);
    const rows: Row[] = [];
    const sources: number[] = [];
    parts.forEach(({ request, first, end }, source) => {
      for (let sample = first; sample < end; sample++) {
        rows.push({ request, sample, slot: rows.length, tokens: [], logprobs: [], stopReason: null });
        sources.push(source);
      }
    });
    const { caches, logits: promptLogits } = this.#prefill(prompts, promptLength, sources, capacity);
    try {
      let active = rows;
      let logits = promptLogits;
      let logitRow = (row: Row): number => sources[row.slot] as number;
      for (;;) {
        const values = await logits.data<'float32'>();
        logits.dispose();
        this.#draw(active, values, logitRow, sampling);
        const left = active.filter((row) => row.stopReason === null);
        count(active.length, active.length - left.length);
        active = left;
        if (active.length === 0) return rows;
        await options.breathe();
        options.signal?.throwIfAborted();
        logits = this.#advance(active, caches);
        const order = new Map(active.map((row, i) => [row, i]));
        logitRow = (row) => order.get(row) as number;
      }
    } finally {
      for (const cache of caches) tf.dispose([cache.keys, cache.values]);
    }
  }

  #draw(
    active: readonly Row[],
    logits: Float32Array,
    logitRow: (row: Row) => number,
    sampling: SamplingSettings,
  ): void {
    const { vocabSize } = this.#model.config;
    for (const row of active) {
      const { seed, step, problem } = row.request;
      const at = logitRow(row) * vocabSize;
      const uniform = uniformAt(seed, step, problem, row.sample, row.tokens.length);
      const { token, logprob } = drawToken(logits.subarray(at, at + vocabSize), sampling, uniform);
      row.tokens.push(token);
      row.logprobs.push(logprob);
      if (this.#stopTokens.has(token)) row.stopReason = 'eos';
      else if (row.tokens.length >= sampling.maxTokens) row.stopReason = 'max_tokens';
    }
  }

  /** Runs the prompts, fills the cache of every slot from its prompt, and returns the logits [P, V] after each prompt. */
  #prefill(
    prompts: readonly (readonly number[])[],
    length: number,
    sources: readonly number[],
    capacity: number,
  ): { caches: LayerCache[]; logits: tf.Tensor } {
    const { config, weights, ropeTables } = this.#model;
    const { heads, kvHeads, headDim } = config;
    const batch = prompts.length;
    const caches = Array.from({ length: config.layers }, (): LayerCache => {
      const shape: [number, number, number] = [sources.length, capacity, kvHeads * headDim];
      return { keys: tf.zeros(shape), values: tf.zeros(shape) };
    });
    const logits = tf.tidy(() => {
      const ids = tf.tensor1d(
        Int32Array.from(
          { length: batch * length },
          (_, i) => prompts[Math.floor(i / length)]?.[i % length] ?? 0,
        ),
        'int32',
      );
      const positions = tf.tensor1d(
        Int32Array.from({ length: batch * length }, (_, i) => i % length),
        'int32',
      );
      const sourceIds = tf.tensor1d([...sources], 'int32');
      let x: tf.Tensor = embedding(weights.get('model.embed_tokens.weight'), ids);
      caches.forEach((cache, layer) => {
        const parameters = this.#parameters(layer);
        const { q, k, v } = queriesKeysValues(x, positions, parameters, config, ropeTables);
        fillCache(cache.keys, k, sourceIds, { length });
        fillCache(cache.values, v, sourceIds, { length });
        const mixed = causalAttention(q, k, v, { batch, length, heads, kvHeads, headDim });
        x = afterAttention(x, mixed, parameters, config);
      });
      const lastRows = tf.tensor1d(
        prompts.map((prompt, i) => i * length + prompt.length - 1),
        'int32',
      );
      return this.#logits(embedding(x, lastRows));
    });
    return { caches, logits };
  }

  /** One more token for each row: returns logits [rows, V] in the order of `active`. */
  #advance(active: readonly Row[], caches: readonly LayerCache[]): tf.Tensor {
    const { config, weights, ropeTables } = this.#model;
    const { heads, kvHeads, headDim } = config;
    return tf.tidy(() => {
      const ids = tf.tensor1d(
        active.map((row) => row.tokens.at(-1) as number),
        'int32',
      );
      const positions = tf.tensor1d(
        active.map((row) => row.request.promptIds.length + row.tokens.length - 1),
        'int32',
      );
      const slots = tf.tensor1d(
        active.map((row) => row.slot),
        'int32',
      );
      let x: tf.Tensor = embedding(weights.get('model.embed_tokens.weight'), ids);
      caches.forEach((cache, layer) => {
        const parameters = this.#parameters(layer);
        const { q, k, v } = queriesKeysValues(x, positions, parameters, config, ropeTables);
        const mixed = decodeAttention({ q, k, v, slots, positions }, cache, { heads, kvHeads, headDim });
        x = afterAttention(x, mixed, parameters, config);
      });
      return this.#logits(x);
    });
  }

  #logits(x: tf.Tensor): tf.Tensor {
    const { weights, config } = this.#model;
    return gemm(rmsNorm(x, weights.get('model.norm.weight'), config.rmsEps), this.#head, 'nn');
  }

  #parameters(layer: number) {
    const names = blockParameterNames(this.#model.config, layer);
    return blockParameters(
      names,
      names.map((name) => this.#model.weights.get(name)),
    );
  }
}

interface RowRange {
  readonly request: GroupRequest;
  readonly first: number;
  readonly end: number;
}

/** Batches of at most MAX_ROWS rows, groups in order, a large group over several batches. */
function splitRows(requests: readonly GroupRequest[]): RowRange[][] {
  const batches: RowRange[][] = [];
  let open: RowRange[] = [];
  let room = MAX_ROWS;
  for (const request of requests) {
    for (let first = 0; first < request.samples;) {
      const end = Math.min(request.samples, first + room);
      open.push({ request, first, end });
      room -= end - first;
      first = end;
      if (room === 0) {
        batches.push(open);
        open = [];
        room = MAX_ROWS;
      }
    }
  }
  return open.length > 0 ? [...batches, open] : batches;
}
