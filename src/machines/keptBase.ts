/**
 * The frozen base that a machine keeps, by the digest that runs sign, so that the next run with the same base need not fetch it. It keeps
 * one at a time.
 */
import type { BaseSource, GeneratorModel } from '@rl-playground/engine/parts';

/** A base in the place where generators use it. */
export interface PlacedBase extends BaseSource {
  dispose(): void;
}

/** Puts a base that has arrived onto the device of its generators. */
export type PlaceBase = (model: GeneratorModel, source: BaseSource) => Promise<PlacedBase>;

export class KeptBase {
  readonly #place: PlaceBase | null;
  #kept: { readonly digest: string; readonly base: BaseSource; readonly placed: PlacedBase | null } | null =
    null;

  /** `place` is null for generators in other threads, which make a copy of their own. */
  constructor(place: PlaceBase | null) {
    this.#place = place;
  }

  /** Returns the base with this digest; null if it has another, or none. */
  get(digest: string): BaseSource | null {
    return this.#kept?.digest === digest ? this.#kept.base : null;
  }

  /** Takes a base in place of the previous one, because there may be no room for both. @throws Error if there is no room for this one. */
  async put(digest: string, model: GeneratorModel, source: BaseSource): Promise<BaseSource> {
    this.drop();
    const placed = this.#place && (await this.#place(model, source));
    this.#kept = { digest, base: placed ?? source, placed };
    return this.#kept.base;
  }

  drop(): void {
    this.#kept?.placed?.dispose();
    this.#kept = null;
  }
}
