/**
 * The weights of a machine's generator: those that a request names are fetched ahead if that is asked for, and handed over. They come
 * from the run's server; a frozen base may also come from the Hub, if the machine's owner allows it.
 */
import type { BaseSource, BaseTakingPool } from '@rl-playground/engine/parts';
import { poolOf } from '@rl-playground/engine/parts/tensors';
import { piecesOfBase } from './basePieces.ts';
import { serverTrouble } from './connection.ts';
import type { RemoteModel } from './generatorModel.ts';
import { baseFromHub, originText, whyNotFromHub, type HubAccess } from './hubBase.ts';
import type { KeptBase } from './keptBase.ts';
import type { ObjectReference, WeightReferences } from './messages.ts';
import { getObject, type ObjectPlace } from './objects.ts';
import type { Reconnects } from './reconnects.ts';

/** The most objects that wait to be used. Those of requests that are passed over are never used. */
const MOST_WAITING = 6;

type Bytes = Uint8Array<ArrayBuffer>;

export interface MachineWeightsParts {
  readonly objects: ObjectPlace;
  readonly reconnects: Reconnects;
  readonly model: RemoteModel;
  readonly pool: BaseTakingPool;
  /** The kept base, which outlives the run. */
  readonly kept: KeptBase;
  /** The access to hubs; null if none may be asked. */
  readonly hub: HubAccess | null;
  readonly onBase: (text: string) => void;
}

export class MachineWeights {
  readonly #parts: MachineWeightsParts;
  /** The digests of what the generator holds. */
  #held: { pool: string | null; frozen: string | null; adapter: string | null } = {
    pool: null,
    frozen: null,
    adapter: null,
  };
  /** Objects that wait, by their digests, the oldest first. */
  readonly #waiting = new Map<string, Promise<Bytes>>();
  #coming: { readonly digest: string; readonly base: Promise<BaseSource> } | null = null;
  /** True if the Hub has been asked. It is not asked twice. */
  #askedHub = false;
  #deliveries = 0;
  readonly #stop = new AbortController();

  constructor(parts: MachineWeightsParts) {
    this.#parts = parts;
    // A base of an earlier run would only take room.
    if (!parts.model.model.frozen) parts.kept.drop();
  }

  /** Resolves when everything that a request needs is on this machine, or can't be fetched, which `take` reports. */
  async fetch({ pool, frozen, adapter }: WeightReferences): Promise<void> {
    const held = [this.#held.pool, this.#held.adapter];
    const lacking = [pool, adapter].flatMap((each) => (each && !held.includes(each.digest) ? [each] : []));
    const coming: Promise<unknown>[] = lacking.map((each) => this.#get(each));
    if (frozen && this.#parts.kept.get(frozen.digest) === null) coming.push(this.#comingBase(frozen));
    await Promise.all(coming.map((each) => each.catch(() => undefined)));
  }

  #get(reference: ObjectReference): Promise<Bytes> {
    const { digest } = reference;
    const before = this.#waiting.get(digest);
    if (before) return before;
    const { objects, reconnects } = this.#parts;
    const fetched = reconnects
      .through(() => getObject(objects, reference))
      .catch((error: unknown) => Promise.reject(serverTrouble(error)));
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

  #comingBase(reference: ObjectReference): Promise<BaseSource> {
    const { digest } = reference;
    if (this.#coming?.digest === digest) return this.#coming.base;
    const coming = { digest, base: this.#fetchBase(reference) };
    this.#coming = coming;
    coming.base.catch(() => {
      if (this.#coming === coming) this.#coming = null;
    });
    return coming.base;
  }

  async #fetchBase(reference: ObjectReference): Promise<BaseSource> {
    const { hub, model, onBase } = this.#parts;
    const { origin } = model.model;
    if (hub && origin && !this.#askedHub) {
      this.#askedHub = true;
      const { signal } = this.#stop;
      try {
        const base = await baseFromHub(hub, model.model, reference, signal);
        if (base !== null) {
          onBase(`The model’s base is ${originText(origin)}, as the run has signed it.`);
          return base;
        }
      } catch (error) {
        signal.throwIfAborted();
        onBase(whyNotFromHub(origin, error));
      }
    }
    const bytes = await this.#use(reference);
    return {
      async *pieces() {
        yield* piecesOfBase(bytes);
      },
    };
  }

  async #base(reference: ObjectReference): Promise<BaseSource> {
    const { kept, model, onBase } = this.#parts;
    const before = kept.get(reference.digest);
    if (before !== null) {
      onBase('The model’s base is here from the run before.');
      return before;
    }
    const source = await this.#comingBase(reference);
    this.#coming = null;
    return kept.put(reference.digest, model.model, source);
  }

  /** Gives the generator the weights that it lacks. @throws ServerTrouble if they can't be fetched, or are not what the run has signed. */
  async take({ pool, frozen, adapter }: WeightReferences): Promise<void> {
    const { config } = this.#parts.model.model;
    const { pool: generator } = this.#parts;
    const held = this.#held;
    // A request may name an older version than the previous one, but each hand-over is a new version to the generator.
    const version = ++this.#deliveries;
    if (frozen && frozen.digest !== held.frozen) {
      await generator.setBase(version, await this.#base(frozen));
      this.#held = { pool: null, frozen: frozen.digest, adapter: null };
    }
    // A base has no adapter at first, so it is given once more to remove one.
    if (pool && (pool.digest !== held.pool || (adapter === null && held.adapter !== null))) {
      const { precision } = pool;
      const bytes = await this.#use(pool);
      await generator.setWeights(version, poolOf(config, { precision, bytes }));
      this.#held = { pool: pool.digest, frozen: null, adapter: null };
    }
    if (adapter && adapter.digest !== this.#held.adapter) {
      const bytes = await this.#use(adapter);
      await generator.setAdapter(version, new Float32Array(bytes.buffer));
      this.#held = { ...this.#held, adapter: adapter.digest };
    }
  }

  /** Ends what is being fetched. The base remains for the next run. */
  dispose(): void {
    this.#stop.abort(new Error('The run has ended.'));
  }
}
