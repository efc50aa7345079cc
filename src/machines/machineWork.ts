/** What a machine does for one run: takes requests out of the queue, answers them with the weights that they name, and says that it is there. */
import { jetstream, type Consumer, type JetStreamClient, type JsMsg } from '@nats-io/jetstream';
import type { NatsConnection, Subscription } from '@nats-io/nats-core';
import type { ObjectStore } from '@nats-io/obj';
import { messageOf } from '../base/errors.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import type { GeneratorPool, GroupResult } from '../rollout/types.ts';
import { poolOf } from '../rollout/weights.ts';
import { piecesOfBase } from './basePieces.ts';
import { serverError } from './connection.ts';
import type { KeyPair } from './frames.ts';
import { readModel, type RemoteModel } from './generatorModel.ts';
import {
  readOrder,
  readRequest,
  writeAnswer,
  writeFailure,
  writePresence,
  type Announcement,
  type ObjectReference,
  type Request,
  type WeightReferences,
} from './messages.ts';
import { GENERATORS, namesOf, type RunNames } from './names.ts';
import { getObject, openBucket } from './objects.ts';
import type { Reconnects } from './reconnects.ts';

/** Milliseconds between two words of a machine that is there, or at work. */
const WORD_EVERY = 1000;
/** Milliseconds that a machine waits in the queue at a time. */
const WAIT = 5000;
const AGAIN_AFTER = 500;
/** Milliseconds without an announcement after which a run is over. */
const GONE_AFTER = 60_000;
const PUBLISH_TIMEOUT = 10_000;

export type WorkNews =
  | { readonly kind: 'asked'; readonly request: Request; readonly model: RemoteModel }
  | { readonly kind: 'answered'; readonly group: GroupResult; readonly busySeconds: number }
  | { readonly kind: 'trouble'; readonly text: string };

export interface WorkParts {
  readonly connection: NatsConnection;
  readonly reconnects: Reconnects;
  readonly key: KeyPair;
  readonly run: Announcement;
  readonly name: string;
  readonly computation: string;
  readonly createPool: (model: RemoteModel) => GeneratorPool;
  readonly onNews: (news: WorkNews) => void;
}

export class RunWork {
  readonly #parts: WorkParts;
  readonly #names: RunNames;
  readonly #stream: JetStreamClient;
  readonly #store: ObjectStore;
  readonly #model: RemoteModel;
  readonly #pool: GeneratorPool;
  readonly #machine: string;
  readonly #orders: Subscription;
  readonly #presence: ReturnType<typeof setInterval>;
  #lastAnnounced = Date.now();
  #base: FrozenBase | null = null;
  /** Digests of what the generator holds. */
  #held: { pool: string | null; frozen: string | null; adapter: string | null } = {
    pool: null,
    frozen: null,
    adapter: null,
  };
  #deliveries = 0;
  /** Requests before the first, and these, are passed over. */
  #firstWanted: number;
  readonly #unwanted = new Set<number>();
  /** What is being answered. */
  #current: { readonly chunk: number; readonly abort: AbortController } | null = null;
  #end: string | null = null;
  /** Ends the wait for a request. */
  #wake: () => void = () => undefined;

  private constructor(parts: WorkParts, store: ObjectStore, model: RemoteModel) {
    const { connection, key, run, createPool } = parts;
    this.#parts = parts;
    this.#names = namesOf(run.run);
    this.#stream = jetstream(connection);
    this.#store = store;
    this.#model = model;
    this.#machine = key.getPublicKey();
    this.#firstWanted = run.firstWanted;
    this.#pool = createPool(model);
    this.#orders = connection.subscribe(this.#names.orders);
    void this.#hearOrders();
    this.#presence = setInterval(() => this.#sayPresence(false), WORD_EVERY);
    this.#sayPresence(false);
  }

  /** Fetches the run's model and makes a generator of it. @throws where it is not what the run has signed, or can't be used. */
  static async open(parts: WorkParts): Promise<RunWork> {
    const { connection, run } = parts;
    const store = await openBucket(connection, namesOf(run.run).bucket);
    return new RunWork(parts, store, readModel(await getObject(store, run.model)));
  }

  announced({ run, firstWanted }: Announcement): void {
    if (run !== this.#parts.run.run) return;
    this.#lastAnnounced = Date.now();
    this.#firstWanted = Math.max(this.#firstWanted, firstWanted);
    for (const chunk of this.#unwanted) if (chunk < firstWanted) this.#unwanted.delete(chunk);
  }

  /** Ends the work; what is being answered goes to another machine. */
  stop(reason: string): void {
    this.#end ??= reason;
    this.#current?.abort.abort(new Error(reason));
    this.#wake();
  }

  async #hearOrders(): Promise<void> {
    for await (const { data } of this.#orders) {
      const order = readOrder(data);
      if (order === null || order.run !== this.#parts.run.run) continue;
      if (order.kind === 'ended') this.stop('the run has ended');
      else if (order.kind === 'pass') {
        for (const chunk of order.chunks) this.#unwanted.add(chunk);
        const current = this.#current;
        if (order.halfway && current && order.chunks.includes(current.chunk))
          current.abort.abort(new Error('No longer wanted.'));
      } else if (order.machine === this.#machine)
        this.stop(`the run has dropped this machine, because ${order.reason}`);
    }
  }

  #sayPresence(leaving: boolean): void {
    const { connection, key, name, computation } = this.#parts;
    if (connection.isClosed()) return;
    const presence = { machine: this.#machine, name, computation, leaving };
    connection.publish(this.#names.machines, writePresence(key, presence));
  }

  /** Works until the run ends. Resolves to why it did. */
  async untilEnd(): Promise<string> {
    let consumer: Consumer | null = null;
    let failures = 0;
    try {
      while (this.#end === null) {
        try {
          consumer ??= await this.#stream.consumers.get(this.#names.askStream, GENERATORS);
          const message = await this.#next(consumer);
          failures = 0;
          if (message !== null) await this.#answer(message);
        } catch (error) {
          consumer = null;
          if (this.#parts.connection.isClosed()) this.stop('the connection was closed');
          else if (Date.now() - this.#lastAnnounced > GONE_AFTER)
            this.stop(`nothing was heard of the run for ${GONE_AFTER / 1000} s`);
          // The first may be the end of the run, which is said a moment later.
          else if (++failures === 2)
            this.#parts.onNews({ kind: 'trouble', text: serverError(error).message });
          await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
        }
      }
      return this.#end;
    } finally {
      clearInterval(this.#presence);
      this.#sayPresence(true);
      this.#orders.unsubscribe();
      this.#pool.dispose();
      this.#base?.dispose();
    }
  }

  /** The next request; null where none came in a while, the work has ended, or the connection broke. */
  #next(consumer: Consumer): Promise<JsMsg | null> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(null);
      // A server that comes back does not know that this machine waits.
      const off = this.#parts.reconnects.on(this.#wake);
      consumer.next({ expires: WAIT }).then(resolve, reject).finally(off);
    });
  }

  async #answer(message: JsMsg): Promise<void> {
    const request = readRequest(message.data, this.#parts.run.run);
    if (request === null || this.#end !== null) {
      // What the run has not signed is nobody's.
      if (request === null) message.term();
      else message.nak();
      return;
    }
    const { chunk } = request;
    if (chunk < this.#firstWanted || this.#unwanted.has(chunk)) {
      message.ack();
      return;
    }
    const abort = new AbortController();
    this.#current = { chunk, abort };
    const began = Date.now();
    let said = began;
    const word = (): void => {
      const now = Date.now();
      if (now - said < WORD_EVERY / 2 || now - began > 1000 * request.patience) return;
      said = now;
      message.working();
    };
    const words = setInterval(word, WORD_EVERY);
    try {
      this.#parts.onNews({ kind: 'asked', request, model: this.#model });
      await this.#take(request.weights);
      await this.#generate(request, abort.signal, word);
      message.ack();
    } catch (error) {
      if (this.#end !== null) message.nak();
      else if (abort.signal.aborted) message.ack();
      else await this.#fail(request, message, error);
    } finally {
      clearInterval(words);
      this.#current = null;
    }
  }

  async #generate(request: Request, signal: AbortSignal, word: () => void): Promise<void> {
    const sent: Promise<void>[] = [];
    await this.#pool.generate(request.groups, request.sampling, {
      signal,
      onProgress: word,
      onGroup: (index, group) => {
        const sending = this.#send(request, index, group);
        sending.catch(() => undefined);
        sent.push(sending);
      },
    });
    await Promise.all(sent);
  }

  async #send(request: Request, index: number, group: GroupResult): Promise<void> {
    const { completions } = group;
    const broken = completions.find(({ stopReason }) => stopReason === 'error');
    if (broken) throw new Error(broken.error ?? 'The generator gave no answer.');
    const { key, run, computation, onNews } = this.#parts;
    const { busySeconds } = this.#pool;
    const frame = writeAnswer(key, {
      run: run.run,
      machine: this.#machine,
      chunk: request.chunk,
      nonce: request.nonce,
      group: index,
      version: request.weights.version,
      computation,
      precision: request.weights.pool?.precision ?? 'f32',
      seconds: Math.max(0, (group.ended - group.began) / 1000),
      busySeconds,
      completions,
    });
    await this.#publish(frame);
    onNews({ kind: 'answered', group, busySeconds });
  }

  async #publish(frame: Uint8Array): Promise<void> {
    const { reconnects } = this.#parts;
    const once = { timeout: PUBLISH_TIMEOUT, retries: 3 };
    await reconnects.through(() => this.#stream.publish(this.#names.answers, frame, once));
  }

  /** Another machine may do better; a run drops one that fails again and again. */
  async #fail(request: Request, message: JsMsg, error: unknown): Promise<void> {
    const text = messageOf(serverError(error));
    this.#parts.onNews({ kind: 'trouble', text });
    const { key, run } = this.#parts;
    const { chunk, nonce } = request;
    const failure = { run: run.run, machine: this.#machine, chunk, nonce, message: text.slice(0, 2000) };
    try {
      await this.#publish(writeFailure(key, failure));
      message.ack();
    } catch {
      message.nak();
    }
  }

  #get(reference: ObjectReference): Promise<Uint8Array<ArrayBuffer>> {
    return this.#parts.reconnects.through(() => getObject(this.#store, reference));
  }

  /** Fetches what of the weights is not here yet. */
  async #take({ pool, frozen, adapter }: WeightReferences): Promise<void> {
    const { config } = this.#model.model;
    const held = this.#held;
    // A request may name an older version than the one before it: to the generator everything that it is given is new.
    const version = ++this.#deliveries;
    if (frozen && frozen.digest !== held.frozen) {
      const bytes = await this.#get(frozen);
      this.#base ??= FrozenBase.empty(config, this.#model.model.frozen ?? {});
      for (const piece of piecesOfBase(bytes)) this.#base.write(piece);
      await this.#pool.setBase(version, this.#base);
      this.#held = { pool: null, frozen: frozen.digest, adapter: null };
    }
    // A base has no adapter at first: to be without one again it is given once more.
    if (pool && (pool.digest !== held.pool || (adapter === null && held.adapter !== null))) {
      const { precision } = pool;
      const bytes = await this.#get(pool);
      await this.#pool.setWeights(version, poolOf(config, { precision, bytes }));
      this.#held = { pool: pool.digest, frozen: null, adapter: null };
    }
    if (adapter && adapter.digest !== this.#held.adapter) {
      const bytes = await this.#get(adapter);
      await this.#pool.setAdapter(version, new Float32Array(bytes.buffer));
      this.#held = { ...this.#held, adapter: adapter.digest };
    }
  }
}
