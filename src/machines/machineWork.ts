/**
 * The work of a machine for one run: it takes requests out of the queue, answers them with the weights that they name, and reports that
 * it is there.
 */
import type { JetStreamClient, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection, Subscription } from '@nats-io/nats-core';
import { messageOf } from '@rl-playground/base/errors';
import type { BaseTakingPool, GroupRequest, GroupResult } from '@rl-playground/engine/parts';
import { isSilence, queuesOf, serverError, serverTrouble, ServerTrouble } from './connection.ts';
import type { KeyPair } from './frames.ts';
import { readModel, type RemoteModel } from './generatorModel.ts';
import type { HubAccess } from './hubBase.ts';
import type { KeptBase } from './keptBase.ts';
import { MachineWeights } from './machineWeights.ts';
import {
  readOrder,
  readRequest,
  writeAnswer,
  writeFailure,
  writePresence,
  type Announcement,
  type Request,
} from './messages.ts';
import { namesOf, type RunNames } from './names.ts';
import { getObject, type ObjectPlace } from './objects.ts';
import { OVER_AFTER } from './patience.ts';
import type { Reconnects } from './reconnects.ts';
import { pause, requestQueue } from './requestQueue.ts';

/** The milliseconds between two reports of a machine that is present or at work. */
const WORD_EVERY = 1000;
/** The milliseconds before a machine asks again after trouble with the server. They double each time, up to the limit of the second number. */
const AGAIN_AFTER = 500;
const AGAIN_AT_MOST = 5000;
/** The least milliseconds before the end of a request at which the next one is asked for: it takes so long to arrive, with its weights. */
const LEAST_LEAD = 500;

export type WorkNews =
  | { readonly kind: 'asked'; readonly request: Request; readonly model: RemoteModel }
  | {
      readonly kind: 'answered';
      readonly asked: GroupRequest;
      readonly group: GroupResult;
      readonly busySeconds: number;
    }
  | { readonly kind: 'base'; readonly text: string }
  | { readonly kind: 'trouble'; readonly text: string };

export interface WorkParts {
  readonly connection: NatsConnection;
  readonly reconnects: Reconnects;
  readonly key: KeyPair;
  readonly run: Announcement;
  readonly name: string;
  readonly computation: string;
  readonly createPool: (model: RemoteModel) => BaseTakingPool;
  readonly kept: KeptBase;
  readonly hub: HubAccess | null;
  readonly onNews: (news: WorkNews) => void;
}

/** A request from the queue, and the means to tell the server that it is being worked on. */
interface Taken {
  readonly message: JsMsg;
  readonly request: Request;
  readonly words: ReturnType<typeof setInterval>;
  /** The times in milliseconds when that was last reported, and when reporting ends. */
  said: number;
  readonly until: number;
}

export class RunWork {
  readonly #parts: WorkParts;
  readonly #names: RunNames;
  readonly #stream: JetStreamClient;
  readonly #model: RemoteModel;
  readonly #pool: BaseTakingPool;
  readonly #machine: string;
  readonly #orders: Subscription;
  readonly #presence: ReturnType<typeof setInterval>;
  #lastAnnounced = Date.now();
  readonly #weights: MachineWeights;
  /** The first request that needs an answer. Earlier ones are passed over, and so are those in `#unwanted`. */
  #firstWanted: number;
  readonly #unwanted = new Set<number>();
  #current: { readonly chunk: number; readonly abort: AbortController } | null = null;
  #end: string | null = null;
  /** Ends all waits. */
  readonly #over = new AbortController();
  readonly #nextMessage: () => Promise<JsMsg | null>;
  /** The next request, if it was asked for while another is being answered. */
  #ahead: Promise<Taken | null> | null = null;
  readonly #sending = new Set<Promise<void>>();
  /** The requests in a row that trouble with the server has kept from being answered. */
  #troubles = 0;
  /** The milliseconds that the last request took for each of its groups. */
  #pace: number | null = null;
  #lead = LEAST_LEAD;

  private constructor(parts: WorkParts, objects: ObjectPlace, model: RemoteModel) {
    const { connection, key, run, createPool, reconnects, kept, hub, onNews } = parts;
    this.#parts = parts;
    this.#names = namesOf(run.run);
    this.#stream = queuesOf(connection);
    this.#nextMessage = requestQueue(this.#stream, this.#names.askStream, reconnects, this.#over.signal);
    this.#model = model;
    this.#machine = key.getPublicKey();
    this.#firstWanted = run.firstWanted;
    this.#pool = createPool(model);
    this.#weights = new MachineWeights({
      objects,
      reconnects,
      model,
      pool: this.#pool,
      kept,
      hub,
      onBase: (text) => onNews({ kind: 'base', text }),
    });
    this.#orders = connection.subscribe(this.#names.orders);
    void this.#hearOrders();
    this.#presence = setInterval(() => this.#sayPresence(false), WORD_EVERY);
    this.#sayPresence(false);
  }

  get run(): string {
    return this.#parts.run.run;
  }

  /** Fetches the run's model and makes a generator of it. @throws Error if it is not what the run has signed, or can't be used. */
  static async open(parts: WorkParts): Promise<RunWork> {
    const { connection, run, reconnects } = parts;
    const objects = { connection, bucket: namesOf(run.run).bucket };
    const model = await reconnects.through(() => getObject(objects, run.model));
    return new RunWork(parts, objects, readModel(model));
  }

  announced({ run, firstWanted, dropped }: Announcement): void {
    if (run !== this.#parts.run.run) return;
    if (dropped.includes(this.#machine)) this.stop('the run has dropped this machine');
    this.#lastAnnounced = Date.now();
    this.#firstWanted = Math.max(this.#firstWanted, firstWanted);
    for (const chunk of this.#unwanted) if (chunk < firstWanted) this.#unwanted.delete(chunk);
  }

  stop(reason: string): void {
    this.#end ??= reason;
    this.#current?.abort.abort(new Error(reason));
    this.#over.abort();
  }

  async #hearOrders(): Promise<void> {
    for await (const { data } of this.#orders) {
      const order = await readOrder(data);
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
    connection.publish(`${this.#names.machines}.${this.#machine}`, writePresence(key, presence));
  }

  /** Works until the run ends, and resolves to the reason. */
  async untilEnd(): Promise<string> {
    let failures = 0;
    try {
      while (this.#end === null) {
        try {
          const taken = await this.#next();
          failures = 0;
          if (taken !== null) await this.#answer(taken);
          if (this.#troubles > 0)
            await pause(Math.min(AGAIN_AT_MOST, AGAIN_AFTER * 2 ** (this.#troubles - 1)), this.#over.signal);
        } catch (error) {
          if (this.#parts.connection.isClosed()) this.stop('the connection was closed');
          else if (Date.now() - this.#lastAnnounced > OVER_AFTER)
            this.stop(`nothing was heard of the run for ${OVER_AFTER / 1000} s`);
          // The first failure may be the end of the run, which is reported a moment later.
          else if (!isSilence(error) && ++failures === 2)
            this.#parts.onNews({ kind: 'trouble', text: serverError(error).message });
          await pause(AGAIN_AFTER, this.#over.signal);
        }
      }
      await Promise.all(this.#sending);
      return this.#end;
    } finally {
      // A request that was asked for ahead goes to another machine.
      void this.#ahead?.then(
        (taken) => taken && this.#giveBack(taken),
        () => undefined,
      );
      clearInterval(this.#presence);
      this.#sayPresence(true);
      this.#orders.unsubscribe();
      this.#pool.dispose();
      this.#weights.dispose();
    }
  }

  /** The next request: the one that was asked for ahead, if there is one. */
  #next(): Promise<Taken | null> {
    const next = this.#ahead ?? this.#fetchNext();
    this.#ahead = null;
    return next;
  }

  /**
   * Takes a request out of the queue, and begins to fetch those of its weights that are missing here. Resolves to null if none came in a
   * while, the work has ended, or the connection broke.
   */
  async #fetchNext(): Promise<Taken | null> {
    const message = await this.#nextMessage();
    if (message === null) return null;
    const request = await readRequest(message.data, this.#parts.run.run);
    if (request === null) {
      // A request without the run's signature is worth no answer.
      message.term();
      return null;
    }
    const taken: Taken = {
      message,
      request,
      words: setInterval(() => this.#word(taken), WORD_EVERY),
      said: Date.now(),
      until: Date.now() + 1000 * request.patience,
    };
    if (this.#end !== null) {
      this.#giveBack(taken);
      return null;
    }
    const came = Date.now();
    await this.#weights.fetch(request.weights);
    this.#lead = LEAST_LEAD + 2 * (Date.now() - came);
    return taken;
  }

  /** Reports that the machine is at work on a request. */
  #word(taken: Taken): void {
    const now = Date.now();
    if (now - taken.said < WORD_EVERY / 2 || now > taken.until) return;
    taken.said = now;
    taken.message.working();
  }

  #giveBack({ message, words }: Taken): void {
    clearInterval(words);
    message.nak();
  }

  async #answer(taken: Taken): Promise<void> {
    const { message, request } = taken;
    const { chunk, groups } = request;
    if (this.#end !== null) return this.#giveBack(taken);
    if (chunk < this.#firstWanted || this.#unwanted.has(chunk)) {
      clearInterval(taken.words);
      message.ack();
      return;
    }
    const abort = new AbortController();
    this.#current = { chunk, abort };
    const began = Date.now();
    const expected = this.#pace === null ? 0 : this.#pace * groups.length;
    const timer = setTimeout(() => this.#askAhead(), Math.max(0, expected - this.#lead));
    const sent: Promise<void>[] = [];
    const over = (work: Promise<void>): void => {
      const sending = work.finally(() => {
        clearInterval(taken.words);
        this.#sending.delete(sending);
      });
      this.#sending.add(sending);
    };
    try {
      this.#parts.onNews({ kind: 'asked', request, model: this.#model });
      // Answers are given one after the other while their weights hold.
      await this.#weights.take(request.weights);
      await this.#generate(taken, abort.signal, sent);
      this.#pace = (Date.now() - began) / groups.length;
      // The next request need not wait for the server's receipt of the answers.
      over(
        Promise.all(sent).then(
          () => {
            this.#troubles = 0;
            message.ack();
          },
          (error: unknown) => this.#fail(request, message, error),
        ),
      );
    } catch (error) {
      if (this.#end !== null) over(Promise.resolve(message.nak()));
      else if (abort.signal.aborted) over(Promise.resolve(message.ack()));
      else over(this.#fail(request, message, error));
    } finally {
      clearTimeout(timer);
      this.#current = null;
    }
  }

  #askAhead(): void {
    if (this.#end !== null || this.#ahead !== null) return;
    this.#ahead = this.#fetchNext();
    // The error is reported when the request is taken.
    this.#ahead.catch(() => undefined);
  }

  async #generate(taken: Taken, signal: AbortSignal, sent: Promise<void>[]): Promise<void> {
    const { request } = taken;
    await this.#pool.generate(request.groups, request.sampling, {
      signal,
      onProgress: () => this.#word(taken),
      onGroup: (index, group) => {
        const asked = request.groups[index];
        if (asked === undefined) return;
        const sending = this.#send(request, index, asked, group);
        sending.catch(() => undefined);
        sent.push(sending);
      },
    });
  }

  async #send(request: Request, index: number, asked: GroupRequest, group: GroupResult): Promise<void> {
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
    onNews({ kind: 'answered', asked, group, busySeconds });
  }

  async #publish(frame: Uint8Array): Promise<void> {
    const { reconnects } = this.#parts;
    const once = { retries: 3 };
    try {
      await reconnects.through(() => this.#stream.publish(this.#names.answers, frame, once));
    } catch (error) {
      throw serverTrouble(error);
    }
  }

  /** Reports a failure, because another machine may do better. A run drops a machine that fails again and again, unless the server is at fault. */
  async #fail(request: Request, message: JsMsg, error: unknown): Promise<void> {
    const text = messageOf(serverError(error));
    const isServers = error instanceof ServerTrouble;
    if (isServers) this.#troubles++;
    // A server that is full stays so for a while, which is reported once.
    if (!isServers || this.#troubles === 1) this.#parts.onNews({ kind: 'trouble', text });
    const { key, run } = this.#parts;
    const failure = {
      run: run.run,
      machine: this.#machine,
      chunk: request.chunk,
      nonce: request.nonce,
      message: text.slice(0, 2000),
      fault: isServers ? ('server' as const) : ('machine' as const),
    };
    try {
      await this.#publish(writeFailure(key, failure));
      message.ack();
    } catch {
      message.nak();
    }
  }
}
