/**
 * A sweep's end of the connection. Its runs lie in a work queue of NATS JetStream, at most one message for each: a machine takes one, says
 * while it makes the run that it is at work, and acknowledges it when its result is in a second queue; of one that says nothing the run goes to the
 * next. All bears the sweep's name, which is its public key: a sweep that was killed and is gone on with has the same one, and finds what was
 * done meanwhile.
 */
import {
  AckPolicy,
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/nats-core';
import type { RunConfig } from '../config/schema.ts';
import { messageOf } from '../base/errors.ts';
import { managerOf, queuesOf, serverError } from './connection.ts';
import type { KeyPair } from './frames.ts';
import type { ObjectReference } from './messages.ts';
import { namesOfSweep, RUNNERS, SWEEPER, SWEEPS_SUBJECT, type SweepNames } from './names.ts';
import { ForgedObject, getObject, removeObject, removeObjects, type ObjectPlace } from './objects.ts';
import { RESULT_SILENCE, WORK_SILENCE } from './patience.ts';
import { Reconnects } from './reconnects.ts';
import { takeMessages } from './takeMessages.ts';
import {
  readRunResult,
  writeAskedRun,
  writeSweepAnnouncement,
  writeSweepOrder,
  type RunResult,
} from './sweepMessages.ts';

const ANNOUNCED_EVERY = 1000;
/** Bytes of a run directory that are taken from a machine: it is in memory as a whole. */
const MOST_BYTES = 2 ** 30;

/** What a machine has made is not to be had from the server. */
class LostFiles extends Error {}

export interface SweepChannelParts {
  /** Owned by the channel. */
  readonly connection: NatsConnection;
  readonly key: KeyPair;
  /** As machines show it. */
  readonly name: string;
  /** By their numbers. */
  readonly runs: readonly { readonly name: string; readonly config: RunConfig }[];
  readonly isDone: (run: number) => boolean;
  /** Keeps what a machine has made: `zip` is its run directory, null where the run failed. What this throws is a failure of the run. */
  readonly onResult: (result: RunResult, zip: Uint8Array<ArrayBuffer> | null) => Promise<void>;
  readonly onTrouble: (text: string) => void;
}

export class SweepChannel {
  readonly #parts: SweepChannelParts;
  readonly #sweep: string;
  readonly #names: SweepNames;
  readonly #manager: JetStreamManager;
  readonly #stream: JetStreamClient;
  readonly #reconnects: Reconnects;
  readonly #objects: ObjectPlace;
  readonly #announcing: ReturnType<typeof setInterval>;
  #closed = false;

  private constructor(parts: SweepChannelParts, manager: JetStreamManager) {
    this.#parts = parts;
    this.#sweep = parts.key.getPublicKey();
    this.#names = namesOfSweep(this.#sweep);
    this.#manager = manager;
    this.#objects = { connection: parts.connection, bucket: this.#names.bucket };
    this.#stream = queuesOf(parts.connection);
    this.#reconnects = new Reconnects(parts.connection);
    this.#announcing = setInterval(() => this.#announce(), ANNOUNCED_EVERY);
    this.#announce();
  }

  /** Makes the sweep's queues, or finds them, and puts the runs that are open into them. @throws a sentence where the server can't. */
  static async open(parts: SweepChannelParts): Promise<SweepChannel> {
    try {
      const manager = await managerOf(parts.connection);
      const names = namesOfSweep(parts.key.getPublicKey());
      await makeQueues(manager, names);
      const channel = new SweepChannel(parts, manager);
      await channel.#askAll();
      channel.#reconnects.on(() => void channel.#restore());
      void channel.#takeResults();
      void channel.#hearTroubles();
      return channel;
    } catch (error) {
      await parts.connection.close();
      throw serverError(error);
    }
  }

  async #askAll(): Promise<void> {
    const { runs, isDone, key } = this.#parts;
    for (const [run, { name, config }] of runs.entries()) {
      if (isDone(run)) continue;
      const frame = writeAskedRun(key, { sweep: this.#sweep, run, name, config });
      try {
        await this.#reconnects.through(() => this.#stream.publish(`${this.#names.runs}.${run}`, frame));
      } catch (error) {
        // It waits there, or is being made.
        if (!/maximum messages per subject/i.test(messageOf(error))) throw error;
      }
    }
  }

  /** A server that comes back may have lost its queues. */
  async #restore(): Promise<void> {
    try {
      await this.#reconnects.through(() => makeQueues(this.#manager, this.#names));
      await this.#askAll();
    } catch (error) {
      if (!this.#closed) this.#parts.onTrouble(serverError(error).message);
    }
  }

  #announce(): void {
    const { connection, key, name, runs, isDone } = this.#parts;
    if (this.#closed || connection.isClosed()) return;
    const done = [...runs.keys()].filter(isDone);
    const message = { sweep: this.#sweep, name, runs: runs.length, done };
    connection.publish(SWEEPS_SUBJECT, writeSweepAnnouncement(key, message));
  }

  #takeResults(): Promise<void> {
    return takeMessages({
      client: this.#stream,
      reconnects: this.#reconnects,
      stream: this.#names.resultStream,
      consumer: SWEEPER,
      most: 8,
      isClosed: () => this.#closed,
      take: (message) => this.#takeResult(message),
      failed: (error) => this.#parts.onTrouble(serverError(error).message),
    });
  }

  async #hearTroubles(): Promise<void> {
    for await (const { data } of this.#parts.connection.subscribe(this.#names.troubles)) {
      const result = await readRunResult(data, this.#sweep);
      if (result !== null) await this.#take({ ...result, files: null });
    }
  }

  async #takeResult(message: JsMsg): Promise<void> {
    const result = await readRunResult(message.data, this.#sweep);
    if (result !== null) await this.#take(result);
    if (this.#closed) return;
    message.ack();
    if (result?.files) await removeObject(this.#objects, result.files.name);
  }

  async #take(result: RunResult): Promise<void> {
    const { runs, isDone, onResult } = this.#parts;
    if (runs[result.run] === undefined || isDone(result.run)) return;
    const { files } = result;
    try {
      if (files && files.bytes > MOST_BYTES)
        throw new Error(`its files have ${files.bytes} bytes; up to ${MOST_BYTES} are taken`);
      const zip = files && (await this.#fetch(files));
      await onResult(result, zip);
    } catch (error) {
      if (this.#closed) return;
      if (error instanceof LostFiles) return this.#askAgain(error);
      await onResult({ ...result, files: null, error: messageOf(error) }, null);
    }
    this.#announce();
  }

  async #fetch(files: ObjectReference): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await this.#reconnects.through(() => getObject(this.#objects, files));
    } catch (error) {
      if (error instanceof ForgedObject) throw error;
      throw new LostFiles(serverError(error).message, { cause: error });
    }
  }

  /** Trouble with the server is no failure of the run: it is made once more. */
  async #askAgain({ message }: LostFiles): Promise<void> {
    this.#parts.onTrouble(message);
    await this.#restore();
  }

  /** Deletes what the server keeps of the sweep, and tells its machines. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#announcing);
    const { connection, key } = this.#parts;
    const order = writeSweepOrder(key, { kind: 'sweep ended', sweep: this.#sweep });
    if (!connection.isClosed()) connection.publish(this.#names.orders, order);
    await this.#reconnects.tidy(this.#manager.streams.delete(this.#names.runStream));
    await this.#reconnects.tidy(this.#manager.streams.delete(this.#names.resultStream));
    await this.#reconnects.tidy(removeObjects(this.#objects));
    await this.#reconnects.tidy(connection.close());
  }
}

/** Does nothing where they are there. */
async function makeQueues(manager: JetStreamManager, names: SweepNames): Promise<void> {
  const common = { retention: RetentionPolicy.Workqueue, storage: StorageType.File, num_replicas: 1 };
  await manager.streams.add({
    ...common,
    name: names.runStream,
    subjects: [`${names.runs}.*`],
    // Of one run there is one message: who goes on with a sweep asks for nothing twice.
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
  });
  await manager.streams.add({ ...common, name: names.resultStream, subjects: [names.results] });
  const consumer = { ack_policy: AckPolicy.Explicit, max_ack_pending: 10_000 };
  await manager.consumers.add(names.runStream, {
    ...consumer,
    durable_name: RUNNERS,
    ack_wait: nanos(WORK_SILENCE),
  });
  await manager.consumers.add(names.resultStream, {
    ...consumer,
    durable_name: SWEEPER,
    ack_wait: nanos(RESULT_SILENCE),
  });
}
