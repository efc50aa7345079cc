/** What a machine does for sweeps: takes whole runs out of their queues, makes them one after the other, and sends their run directories back. */
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { messageOf } from '../base/errors.ts';
import { isSilence, queuesOf, serverError } from './connection.ts';
import { newKey } from './frames.ts';
import { namesOfSweep, RUNNERS, SWEEPS_SUBJECT } from './names.ts';
import { putThrough, type Pieces } from './objects.ts';
import { OVER_AFTER, QUEUE_WAIT } from './patience.ts';
import { Reconnects } from './reconnects.ts';
import {
  readAskedRun,
  readSweepAnnouncement,
  readSweepOrder,
  writeRunResult,
  type AskedRun,
  type SweepAnnouncement,
} from './sweepMessages.ts';

/** Milliseconds between two words of a machine that is at work. */
const WORD_EVERY = 1000;
const AGAIN_AFTER = 500;

export type RunnerNews =
  | { readonly kind: 'sweep'; readonly name: string }
  | { readonly kind: 'run'; readonly name: string }
  | { readonly kind: 'ended'; readonly name: string; readonly error: string | null }
  | { readonly kind: 'over'; readonly name: string }
  | { readonly kind: 'trouble'; readonly text: string };

/** A run directory that was made. */
export interface MadeRun {
  /** Of its zip, as often as they are wanted. */
  readonly zip: Pieces;
  dispose(): void;
}

export interface RunnerParts {
  readonly connection: NatsConnection;
  /** As the sweep shows it. */
  readonly name: string;
  readonly computation: string;
  /** Makes a run. @throws where it fails, and the signal's reason where it says so. */
  readonly make: (asked: AskedRun, signal: AbortSignal) => Promise<MadeRun>;
  readonly onNews: (news: RunnerNews) => void;
}

export class Runner {
  readonly #parts: RunnerParts;
  readonly #key = newKey();
  readonly #reconnects: Reconnects;
  #announced: { readonly sweep: SweepAnnouncement; readonly at: number } | null = null;
  /** Sweeps that have ended. */
  readonly #over = new Set<string>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#reconnects = new Reconnects(parts.connection);
  }

  /** Resolves once `signal` says so, or the connection is closed. What is being made then goes to another machine. */
  async serve(signal: AbortSignal): Promise<void> {
    const heard = this.#parts.connection.subscribe(SWEEPS_SUBJECT);
    const stop = (): void => heard.unsubscribe();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const working: { now: Promise<void> | null } = { now: null };
    for await (const { data } of heard) {
      const sweep = await readSweepAnnouncement(data);
      if (sweep === null || this.#over.has(sweep.sweep)) continue;
      if (working.now !== null) {
        if (sweep.sweep === this.#announced?.sweep.sweep) this.#announced = { sweep, at: Date.now() };
        continue;
      }
      this.#announced = { sweep, at: Date.now() };
      working.now = this.#workFor(sweep, signal).finally(() => (working.now = null));
    }
    await working.now;
  }

  async #workFor({ sweep, name }: SweepAnnouncement, signal: AbortSignal): Promise<void> {
    const { connection, onNews } = this.#parts;
    onNews({ kind: 'sweep', name });
    const end = new AbortController();
    const leave = (): void => end.abort(new Error('The machine leaves.'));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    const orders = connection.subscribe(namesOfSweep(sweep).orders);
    void (async () => {
      for await (const { data } of orders)
        if ((await readSweepOrder(data))?.sweep === sweep) {
          this.#over.add(sweep);
          end.abort(new Error('The sweep has ended.'));
        }
    })();
    let consumer: Consumer | null = null;
    try {
      while (!end.signal.aborted && this.#isThere()) {
        try {
          consumer ??= await queuesOf(connection).consumers.get(namesOfSweep(sweep).runStream, RUNNERS);
          const message = await this.#next(consumer, end.signal);
          if (message !== null) await this.#take(message, sweep, end.signal);
        } catch (error) {
          consumer = null;
          if (connection.isClosed()) return;
          if (!end.signal.aborted && !isSilence(error))
            onNews({ kind: 'trouble', text: serverError(error).message });
          await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER));
        }
      }
    } finally {
      orders.unsubscribe();
      signal.removeEventListener('abort', leave);
      onNews({ kind: 'over', name });
    }
  }

  #isThere(): boolean {
    return this.#announced !== null && Date.now() - this.#announced.at < OVER_AFTER;
  }

  /** The next run; null where there is none for a while, or the work ends. */
  #next(consumer: Consumer, signal: AbortSignal): Promise<JsMsg | null> {
    return new Promise((resolve, reject) => {
      let waits = true;
      const none = (): void => {
        waits = false;
        resolve(null);
      };
      // A server that comes back does not know that this machine waits.
      const off = this.#reconnects.on(none);
      signal.addEventListener('abort', none, { once: true });
      consumer
        .next({ expires: QUEUE_WAIT })
        .then((message) => {
          // One that comes too late is somebody else's.
          if (waits) resolve(message);
          else message?.nak();
        }, reject)
        .finally(() => {
          off();
          signal.removeEventListener('abort', none);
        });
    });
  }

  async #take(message: JsMsg, sweep: string, signal: AbortSignal): Promise<void> {
    const asked = await readAskedRun(message.data, sweep);
    if (asked === null || signal.aborted) {
      // What the sweep has not signed is nobody's.
      if (asked === null) message.term();
      else message.nak();
      return;
    }
    if (this.#announced?.sweep.done.includes(asked.run) === true) {
      message.ack();
      return;
    }
    const { onNews } = this.#parts;
    const end = new AbortController();
    const stop = (): void => end.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const words = setInterval(() => {
      message.working();
      if (!this.#isThere()) end.abort(new Error('Nothing is heard of the sweep any more.'));
    }, WORD_EVERY);
    onNews({ kind: 'run', name: asked.name });
    try {
      const error = await this.#make(asked, end.signal);
      message.ack();
      onNews({ kind: 'ended', name: asked.name, error });
    } catch (error) {
      message.nak();
      if (!end.signal.aborted) throw error;
    } finally {
      clearInterval(words);
      signal.removeEventListener('abort', stop);
    }
  }

  /** Resolves to why the run failed; null where it did not. @throws where it was broken off, or could not be sent. */
  async #make(asked: AskedRun, signal: AbortSignal): Promise<string | null> {
    const { make, connection, name, computation } = this.#parts;
    const machine = this.#key.getPublicKey();
    const names = namesOfSweep(asked.sweep);
    const common = { sweep: asked.sweep, machine, machineName: name, computation, run: asked.run };
    const failed = async (error: unknown): Promise<string> => {
      signal.throwIfAborted();
      const text = messageOf(serverError(error)).slice(0, 2000);
      const result = { ...common, files: null, error: text };
      // A full store takes no result either.
      await this.#send(names.results, result).catch(() =>
        connection.publish(names.troubles, writeRunResult(this.#key, result)),
      );
      return text;
    };
    let made: MadeRun;
    try {
      made = await make(asked, signal);
    } catch (error) {
      return failed(error);
    }
    try {
      const objects = { connection, bucket: names.bucket };
      const files = await putThrough(this.#reconnects, objects, `${asked.run}-${machine}`, () => made.zip());
      signal.throwIfAborted();
      await this.#send(names.results, { ...common, files, error: null });
      return null;
    } catch (error) {
      return await failed(error);
    } finally {
      made.dispose();
    }
  }

  async #send(subject: string, result: Parameters<typeof writeRunResult>[1]): Promise<void> {
    const stream = queuesOf(this.#parts.connection);
    const frame = writeRunResult(this.#key, result);
    const once = { retries: 3, msgID: crypto.randomUUID() };
    await this.#reconnects.through(() => stream.publish(subject, frame, once));
  }
}
