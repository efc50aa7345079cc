/** The weights of a machine's generator: what a request names is fetched from the server, ahead where that is asked for, and handed over. */
import { FrozenBase } from '../model/frozenBase.ts';
import type { GeneratorPool } from '../rollout/types.ts';
import { poolOf } from '../rollout/weights.ts';
import { piecesOfBase } from './basePieces.ts';
import type { RemoteModel } from './generatorModel.ts';
import type { ObjectReference, WeightReferences } from './messages.ts';
import { getObject, type ObjectPlace } from './objects.ts';
import type { Reconnects } from './reconnects.ts';

/** Objects that wait to be used; of requests that are passed over they never are. */
const MOST_WAITING = 6;

type Bytes = Uint8Array<ArrayBuffer>;

export class MachineWeights {
  readonly #objects: ObjectPlace;
  readonly #reconnects: Reconnects;
  readonly #model: RemoteModel;
  readonly #pool: GeneratorPool;
  #base: FrozenBase | null = null;
  /** Digests of what the generator holds. */
  #held: { pool: string | null; frozen: string | null; adapter: string | null } = {
    pool: null,
    frozen: null,
    adapter: null,
  };
  /** By their digests, the oldest first. */
  readonly #waiting = new Map<string, Promise<Bytes>>();
  #deliveries = 0;

  constructor(objects: ObjectPlace, reconnects: Reconnects, model: RemoteModel, pool: GeneratorPool) {
    this.#objects = objects;
    this.#reconnects = reconnects;
    this.#model = model;
    this.#pool = pool;
  }

  /** Resolves when all that a request needs is on this machine, or can't be had, which `take` says. */
  async fetch({ pool, frozen, adapter }: WeightReferences): Promise<void> {
    const held = [this.#held.pool, this.#held.frozen, this.#held.adapter];
    const lacking = [pool, frozen, adapter].flatMap((each) =>
      each && !held.includes(each.digest) ? [each] : [],
    );
    await Promise.all(lacking.map((each) => this.#get(each).catch(() => undefined)));
  }

  #get(reference: ObjectReference): Promise<Bytes> {
    const { digest } = reference;
    const before = this.#waiting.get(digest);
    if (before) return before;
    const fetched = this.#reconnects.through(() => getObject(this.#objects, reference));
    this.#waiting.set(digest, fetched);
    fetched.catch(() => this.#waiting.delete(digest));
    for (const oldest of [...this.#waiting.keys()].slice(0, -MOST_WAITING)) this.#waiting.delete(oldest);
    return fetched;
  }

  async #use(reference: ObjectReference): Promise<Bytes> {
    const bytes = await this.#get(reference);
    this.#waiting.delete(reference.digest);
    return bytes;
  }

  /** Gives the generator what of the weights it lacks. @throws where it can't be had, or is not what the run has signed. */
  async take({ pool, frozen, adapter }: WeightReferences): Promise<void> {
    const { config } = this.#model.model;
    const held = this.#held;
    // A request may name an older version than the one before it: to the generator everything that it is given is new.
    const version = ++this.#deliveries;
    if (frozen && frozen.digest !== held.frozen) {
      const bytes = await this.#use(frozen);
      this.#base ??= FrozenBase.empty(config, this.#model.model.frozen ?? {});
      for (const piece of piecesOfBase(bytes)) this.#base.write(piece);
      await this.#pool.setBase(version, this.#base);
      this.#held = { pool: null, frozen: frozen.digest, adapter: null };
    }
    // A base has no adapter at first: to be without one again it is given once more.
    if (pool && (pool.digest !== held.pool || (adapter === null && held.adapter !== null))) {
      const { precision } = pool;
      const bytes = await this.#use(pool);
      await this.#pool.setWeights(version, poolOf(config, { precision, bytes }));
      this.#held = { pool: pool.digest, frozen: null, adapter: null };
    }
    if (adapter && adapter.digest !== this.#held.adapter) {
      const bytes = await this.#use(adapter);
      await this.#pool.setAdapter(version, new Float32Array(bytes.buffer));
      this.#held = { ...this.#held, adapter: adapter.digest };
    }
  }

  dispose(): void {
    this.#base?.dispose();
  }
}
