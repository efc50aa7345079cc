/**
 * The weights with which a run's machines answer, version by version. They are kept here, where answers are checked with them, and in the
 * run's bucket. A machine fetches what it lacks: whole weights, or LoRA's factors alone beside a base that is sent once. They are 16 bit
 * on request.
 */
import { messageOf } from '@rl-playground/base/errors';
import type { GeneratorModel, WeightBytes, WeightPrecision } from '@rl-playground/engine/parts';
import { type FrozenBase, bytesOf, checkAdapter, weightsOf } from '@rl-playground/engine/parts/tensors';
import { bytesOfBase } from './basePieces.ts';
import type { ObjectReference, WeightReferences } from './messages.ts';
import type { Pieces } from './objects.ts';
import type { RunChannel } from './runChannel.ts';

/** The place where objects are kept: the run's bucket. */
export type ObjectKeeper = Pick<RunChannel, 'put' | 'has' | 'remove'>;

/** An object in the bucket, and its pieces if the server loses it. */
interface Shelved {
  readonly kind: string;
  readonly pieces: Pieces;
  reference: Promise<ObjectReference>;
}

/** One version, as requests name it. */
export interface WeightsOnShelf {
  readonly version: number;
  /** The whole weights, or under LoRA the base that factors are merged into. */
  readonly pool: WeightBytes | null;
  readonly frozen: FrozenBase | null;
  readonly factors: Float32Array | null;
  /** Resolves once all of it is in the bucket. @throws Error if it could not be written. */
  references(): Promise<WeightReferences>;
}

interface Entry extends WeightsOnShelf {
  readonly objects: readonly Shelved[];
}

export class WeightShelf {
  readonly #model: GeneratorModel;
  readonly #precision: WeightPrecision;
  readonly #keeper: ObjectKeeper;
  readonly #entries: Entry[] = [];
  #base: {
    readonly pool: WeightBytes | null;
    readonly frozen: FrozenBase | null;
    readonly object: Shelved;
  } | null = null;
  #bytes = 0;

  /** `precision` is that of whole weights when they are sent; factors and a base are f32. */
  constructor(model: GeneratorModel, precision: WeightPrecision, keeper: ObjectKeeper) {
    this.#model = model;
    this.#precision = model.lora ? 'f32' : precision;
    this.#keeper = keeper;
  }

  /** The newest version. @throws Error if there are no weights yet. */
  get newest(): WeightsOnShelf {
    const entry = this.#entries.at(-1);
    if (entry === undefined) throw new Error('The machines have no weights yet.');
    return entry;
  }

  get handedOverBytes(): number {
    return this.#bytes;
  }

  /** Takes a copy of whole weights. */
  setWeights(version: number, packed: Float32Array): void {
    const pool = weightsOf(this.#model.config, packed, this.#precision);
    this.#bytes = pool.bytes.length;
    const object = this.#shelve('pool', () => [pool.bytes]);
    if (this.#model.lora) this.#base = { pool, frozen: null, object };
    this.#add({ version, pool, frozen: null, factors: null }, { pool: object });
  }

  setBase(version: number, frozen: FrozenBase): void {
    const object = this.#shelve('base', () => bytesOfBase(frozen.pieces()));
    this.#base = { pool: null, frozen, object };
    this.#add({ version, pool: null, frozen, factors: null }, { frozen: object });
  }

  /** Takes a copy of factors. @throws Error if there is no base, or if these are no factors of the model's adapter. */
  setAdapter(version: number, packed: Float32Array): void {
    checkAdapter(this.#model, packed);
    if (this.#base === null) throw new Error('The machines have no base weights to use an adapter with.');
    const factors = packed.slice();
    this.#bytes = factors.byteLength;
    const { pool, frozen, object } = this.#base;
    const adapter = this.#shelve('adapter', () => [bytesOf(factors)]);
    this.#add({ version, pool, frozen, factors }, { adapter, [pool ? 'pool' : 'frozen']: object });
  }

  #shelve(kind: string, pieces: Pieces): Shelved {
    return { kind, pieces, reference: this.#put(kind, pieces) };
  }

  #put(kind: string, pieces: Pieces): Promise<ObjectReference> {
    const put = this.#keeper.put(kind, pieces);
    // The error is reported when the weights are asked for.
    put.catch(() => undefined);
    return put;
  }

  #add(
    weights: Omit<WeightsOnShelf, 'references'>,
    objects: { readonly pool?: Shelved; readonly frozen?: Shelved; readonly adapter?: Shelved },
  ): void {
    // A write that failed while the server was away is tried once more.
    const referenceOf = async (object: Shelved | undefined): Promise<ObjectReference | null> =>
      object === undefined
        ? null
        : object.reference.catch(() => (object.reference = this.#put(object.kind, object.pieces)));
    const { version, pool: poolBytes } = weights;
    this.#entries.push({
      ...weights,
      objects: Object.values(objects),
      async references() {
        try {
          const [pool, frozen, adapter] = await Promise.all([
            referenceOf(objects.pool),
            referenceOf(objects.frozen),
            referenceOf(objects.adapter),
          ]);
          const precision = poolBytes?.precision ?? 'f32';
          return { version, pool: pool && { ...pool, precision }, frozen, adapter };
        } catch (error) {
          throw new Error(
            `The weights of version ${version} could not be put up for machines: ${messageOf(error)}`,
            {
              cause: error,
            },
          );
        }
      },
    });
  }

  /** Forgets all versions except the newest and those that requests still use. */
  keepOnly(used: ReadonlySet<WeightsOnShelf>): void {
    const newest = this.#entries.at(-1);
    const kept = this.#entries.filter((entry) => entry === newest || used.has(entry));
    const needed = new Set(kept.flatMap(({ objects }) => objects));
    if (this.#base) needed.add(this.#base.object);
    const gone = this.#entries.flatMap(({ objects }) => objects).filter((object) => !needed.has(object));
    this.#entries.splice(0, this.#entries.length, ...kept);
    for (const { reference } of new Set(gone))
      void reference.then(
        (written) => this.#keeper.remove(written),
        () => undefined,
      );
  }

  /** Writes what the server has lost once more; `references` waits for it. */
  restore(): void {
    const objects = new Set(this.#entries.flatMap((entry) => entry.objects));
    for (const object of objects) {
      object.reference = this.#sure(object, object.reference);
      object.reference.catch(() => undefined);
    }
  }

  async #sure({ kind, pieces }: Shelved, before: Promise<ObjectReference>): Promise<ObjectReference> {
    const reference = await before.catch(() => null);
    if (reference !== null && (await this.#keeper.has(reference))) return reference;
    return this.#put(kind, pieces);
  }
}
