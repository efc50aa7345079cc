/** The last weights that generators were given, by version: an answer can be explained by the model that wrote it. */

/** Of all that is kept: 54 versions of a model of 153 k parameters, none of one above 8 M. */
const KEPT_BYTES = 32 * 2 ** 20;

/** What all that is kept takes at most, in bytes, of `versions` versions of `bytes` bytes each. */
export const pastWeightsBytes = (bytes: number, versions: number): number =>
  Math.min(versions, Math.floor(KEPT_BYTES / bytes)) * bytes;

export interface FreshWeights {
  readonly version: number;
  readonly packed: Float32Array<ArrayBuffer>;
}

export class PastWeights {
  readonly #kept = new Map<number, Float32Array<ArrayBuffer>>();
  /** Versions that `takeFresh` has not given yet. */
  readonly #fresh = new Set<number>();
  #bytes = 0;

  /** Takes a copy, unless it is larger than all that may be kept; the oldest make room. */
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

  /** As `keep` was given them: all weights, or under LoRA its factors; null where they are no longer kept. */
  of(version: number): Float32Array | null {
    return this.#kept.get(version) ?? null;
  }

  /** The first that was kept since and is still here, each once: for whoever keeps more of them elsewhere. Not to be written into. */
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
