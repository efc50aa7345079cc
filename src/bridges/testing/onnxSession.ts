/** Runs an exported decoder in onnxruntime, with batches padded on the left and the cache fed back, as transformers.js does. */
import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import type { ModelConfig } from '@rl-playground/engine/parts';
import { cacheNames } from '../onnx/decoder.ts';

// Node has no page whose isolation would allow threads.
env.wasm.numThreads = 1;

const int64 = (values: readonly number[], shape: readonly number[]): Tensor =>
  new Tensor('int64', BigInt64Array.from(values, BigInt), shape);

/** Every sequence with `fill` in front, up to the longest. */
function padded(sequences: readonly (readonly number[])[], fill: number): number[] {
  const length = Math.max(...sequences.map((sequence) => sequence.length));
  return sequences.flatMap((sequence) => [
    ...Array.from({ length: length - sequence.length }, () => fill),
    ...sequence,
  ]);
}

export class OnnxSession {
  readonly #config: ModelConfig;
  readonly #session: InferenceSession;
  /** The tokens that each row has seen, and those that it was padded to. */
  #seen: number[] = [];
  #width = 0;
  #cache = new Map<string, Tensor>();

  private constructor(config: ModelConfig, session: InferenceSession) {
    this.#config = config;
    this.#session = session;
  }

  /** Opens a session. `data` are files beside the graph, by the names under which it refers to them. */
  static async open(
    config: ModelConfig,
    bytes: Uint8Array,
    data: readonly { readonly name: string; readonly bytes: Uint8Array }[] = [],
  ): Promise<OnnxSession> {
    const externalData = data.map((file) => ({ path: file.name, data: file.bytes }));
    return new OnnxSession(config, await InferenceSession.create(bytes, { externalData }));
  }

  get inputNames(): readonly string[] {
    return this.#session.inputNames;
  }

  /**
   * Logits [row][its new positions][vocabulary] of the next tokens of each row. The first call begins the rows and may give them
   * different lengths; later ones give each row equally many. With `keep` > 0 only that many last positions are returned.
   */
  async advance(sequences: readonly (readonly number[])[], keep = 0): Promise<number[][][]> {
    const [batch, length] = [sequences.length, Math.max(...sequences.map((sequence) => sequence.length))];
    if (this.#width === 0) this.#begin(batch);
    const positions = sequences.map((sequence, row) => sequence.map((_, t) => (this.#seen[row] ?? 0) + t));
    sequences.forEach((sequence, row) => (this.#seen[row] = (this.#seen[row] ?? 0) + sequence.length));
    this.#width += length;
    const ones = this.#seen.map((count) => Array.from({ length: count }, () => 1));
    const results = await this.#session.run({
      input_ids: int64(padded(sequences, 0), [batch, length]),
      attention_mask: int64(
        ones.flatMap((row) => [...Array.from({ length: this.#width - row.length }, () => 0), ...row]),
        [batch, this.#width],
      ),
      // transformers.js gives this position to padding.
      position_ids: int64(padded(positions, 1), [batch, length]),
      num_logits_to_keep: int64([keep], []),
      ...Object.fromEntries(this.#cache),
    });
    this.#remember(results);
    const { dims, data } = results['logits'] ?? {};
    if (!dims || !(data instanceof Float32Array)) throw new Error('The session gave no f32 logits.');
    const [, rows = 0, vocabulary = 0] = dims;
    return sequences.map((sequence, row) =>
      Array.from({ length: Math.min(rows, sequence.length) }, (_, t) => {
        const first = ((row + 1) * rows - Math.min(rows, sequence.length) + t) * vocabulary;
        return [...data.subarray(first, first + vocabulary)];
      }),
    );
  }

  async close(): Promise<void> {
    await this.#session.release();
  }

  #begin(batch: number): void {
    const { kvHeads, headDim, layers } = this.#config;
    this.#seen = Array.from({ length: batch }, () => 0);
    for (let layer = 0; layer < layers; layer++) {
      const shape = [batch, kvHeads, 0, headDim];
      for (const { past } of cacheNames(layer))
        this.#cache.set(past, new Tensor('float32', new Float32Array(0), shape));
    }
  }

  #remember(results: InferenceSession.OnnxValueMapType): void {
    for (let layer = 0; layer < this.#config.layers; layer++) {
      for (const { past, present } of cacheNames(layer)) {
        const tensor = results[present];
        if (!tensor) throw new Error(`The session gave no ${present}.`);
        this.#cache.set(past, tensor);
      }
    }
  }
}
