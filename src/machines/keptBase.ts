/** The frozen base that a machine has, by the digest that runs sign: the next run with the same one need not fetch it. One at a time. */
import type { BaseSource, GeneratorModel } from '@rl-playground/engine/parts';

/** A base where generators use it. */
export interface PlacedBase extends BaseSource {
  dispose(): void;
}

/** Puts a base that has come onto the device of its generators. */
export type PlaceBase = (model: GeneratorModel, source: BaseSource) => Promise<PlacedBase>;

export class KeptBase {
  readonly #place: PlaceBase | null;
  #kept: { readonly digest: string; readonly base: BaseSource; readonly placed: PlacedBase | null } | null =
    null;

  /** Without `place` bases stay where they are: for generators in other threads, which make a copy of their own. */
  constructor(place: PlaceBase | null) {
    this.#place = place;
  }

  /** Null where it is another, or none. */
  get(digest: string): BaseSource | null {
    return this.#kept?.digest === digest ? this.#kept.base : null;
  }

  /** Takes a base in place of the one before, for which there may be no room beside it. @throws where there is none for this one. */
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
