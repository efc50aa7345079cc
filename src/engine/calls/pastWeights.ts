/** The last weights that generators were given, by version. With them an answer can be explained by the model that wrote it. */

/** The most bytes that are kept in all: 54 versions of a model of 153 k parameters, and none of one above 8 M. */
const KEPT_BYTES = 32 * 2 ** 20;

/** The bytes that `versions` versions of `bytes` bytes each take, within that limit. */
export const pastWeightsBytes = (bytes: number, versions: number): number =>
  Math.min(versions, Math.floor(KEPT_BYTES / bytes)) * bytes;

export interface FreshWeights {
  readonly version: number;
  readonly packed: Float32Array<ArrayBuffer>;
}

/** Resolves to the weights of a version, or under LoRA its factors; null if they are not kept. */
export type KeptWeights = (version: number) => Promise<Float32Array | null>;

export class PastWeights {
  readonly #kept = new Map<number, Float32Array<ArrayBuffer>>();
  /** The versions that `takeFresh` has not returned yet. */
  readonly #fresh = new Set<number>();
  #bytes = 0;

  /** Keeps a copy unless it is larger than all that may be kept. The oldest ones make room. */
  keep(version: number, packed: Float32Array): void {
    this.#drop(version);
    if (packed.byteLength > KEPT_BYTES) return;
    this.#kept.set(version, packed.slice());
    this.#fresh.add(version);
    this.#bytes += packed.byteLength;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= KEPT_BYTES) return;
      this.#drop(oldest);
    }
  }

  /** Returns what `keep` was given (all weights, or under LoRA its factors), or null if it is no longer kept. */
  of(version: number): Float32Array | null {
    return this.#kept.get(version) ?? null;
  }

  /**
   * Returns the oldest version that was kept since and is still here, each once, for a caller that stores more of them elsewhere. The
   * array must not be written to.
   */
  takeFresh(): FreshWeights | null {
    for (const version of this.#fresh) {
      this.#fresh.delete(version);
      const packed = this.#kept.get(version);
      if (packed) return { version, packed };
    }
    return null;
  }

  #drop(version: number): void {
    this.#fresh.delete(version);
    this.#bytes -= this.#kept.get(version)?.byteLength ?? 0;
    this.#kept.delete(version);
  }
}
