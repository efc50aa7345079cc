/**
 * A run's side of the connection. NATS JetStream keeps requests in a work queue: a machine takes a request, acknowledges it when it is
 * answered, and reports meanwhile that it is at work. If it is silent, the request goes to the next machine. Answers come by a second
 * queue. Both have the run's name, which is its public key, and are deleted at its end.
 */
import {
  AckPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { delay, nanos, type NatsConnection } from '@nats-io/nats-core';
import { managerOf, queuesOf, serverError } from './connection.ts';
import { Brake, FloodGate } from './floodGate.ts';
import { newKey, type KeyPair } from './frames.ts';
import {
  readAnswer,
  readPresence,
  writeAnnouncement,
  writeOrder,
  writeRequest,
  type Announcement,
  type Answer,
  type Failure,
  type ObjectReference,
  type Order,
  type Presence,
  type Read,
  type Request,
} from './messages.ts';
import { GENERATORS, namesOf, RUNS_SUBJECT, TRAINER, type RunNames } from './names.ts';
import {
  hasObject,
  putThrough,
  removeObject,
  removeObjects,
  type ObjectPlace,
  type Pieces,
} from './objects.ts';
import { QUEUE_WAIT, RESULT_SILENCE, WORK_SILENCE } from './patience.ts';
import { Reconnects } from './reconnects.ts';

export const ANNOUNCED_EVERY = 1000;
/** The most dropped machines that an announcement names, so that invented machines do not fill it. */
const MOST_NAMED = 500;
/** The number of messages of machines after which a run stops listening for the rest of a round. */
export const HEARD = 400;
/**
 * The milliseconds of a round. They are no whole seconds: machines report once a second, so in the next round other ones report before a
 * flood has used it up.
 */
export const ROUND = 1618;
/** The unwanted answers a second beside which a run with generators of its own goes on. */
const UNWANTED_PER_SECOND = 200;
const MEGABYTE = 2 ** 20;
/** NATS' code for a stream that does not exist. */
const STREAM_NOT_FOUND = 10_059;
const ANSWERS_AT_ONCE = 64;
/** The milliseconds before a queue that could not be read is read again. */
const AGAIN_AFTER = 300;

const lacksStream = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND;

export interface RunListener {
  /** Receives an answer, or null for a message that could not be read. */
  answered(read: Read<Answer | Failure> | null): void;
  /** The number of unwanted answers so far; 0 if the run depends on machines, and so reads everything that comes. */
  unwanted(): number;
  /** Returns true if a machine has given the run answers that count. */
  hasAnswered(machine: string): boolean;
  present(presence: Presence): void;
  /** Reports that messages under the name of a machine are too many to be checked. */
  overheard(machine: string): void;
  /** Reports that the server has come back, and may lack objects. `lost`: it lacked the queues, which have been made again, empty. */
  back(lost: boolean): void;
  /** Reports that answers can't be fetched. */
  failed(error: Error): void;
}

export type RunDescription = Pick<Announcement, 'name' | 'about' | 'computation'>;

export class RunChannel {
  readonly #connection: NatsConnection;
  readonly #key: KeyPair = newKey();
  readonly run: string = this.#key.getPublicKey();
  readonly #names: RunNames = namesOf(this.run);
  readonly #manager: JetStreamManager;
  readonly #stream: JetStreamClient;
  readonly #reconnects: Reconnects;
  readonly #said: RunDescription;
  readonly #objects: ObjectPlace;
  #model: { readonly bytes: Uint8Array; readonly reference: ObjectReference } | null = null;
  #firstWanted = 0;
  readonly #dropped = new Set<string>();
  #listener: RunListener | null = null;
  readonly #brake = new Brake(UNWANTED_PER_SECOND);
  #announcing: ReturnType<typeof setInterval> | null = null;
  #closed = false;

  private constructor(connection: NatsConnection, manager: JetStreamManager, said: RunDescription) {
    this.#connection = connection;
    this.#manager = manager;
    this.#stream = queuesOf(connection);
    this.#reconnects = new Reconnects(connection);
    this.#said = said;
    this.#objects = { connection, bucket: this.#names.bucket };
  }

  /** The trainer's computation, with which those of machines are compared. */
  get computation(): string {
    return this.#said.computation;
  }

  /** Makes the run's queues, and owns `connection`. @throws Error with a sentence for people if the server has no JetStream or no room. */
  static async open(connection: NatsConnection, said: RunDescription): Promise<RunChannel> {
    try {
      const channel = new RunChannel(connection, await managerOf(connection), said);
      await channel.#makeQueues();
      channel.#reconnects.on(() => void channel.#restore());
      void channel.#takeAnswers();
      void channel.#hearMachines();
      return channel;
    } catch (error) {
      await connection.close();
      throw serverError(error);
    }
  }

  /** Sets the only listener to answers and machines. */
  listen(listener: RunListener): void {
    this.#listener = listener;
  }

  /** Makes the queues, unless they are there. */
  async #makeQueues(): Promise<void> {
    const { ask, answers, askStream, answerStream } = this.#names;
    const common = { retention: RetentionPolicy.Workqueue, storage: StorageType.File, num_replicas: 1 };
    await this.#manager.streams.add({
      ...common,
      name: askStream,
      subjects: [ask],
      max_bytes: 64 * MEGABYTE,
    });
    await this.#manager.streams.add({
      ...common,
      name: answerStream,
      subjects: [answers],
      max_bytes: 256 * MEGABYTE,
      max_msg_size: 8 * MEGABYTE,
    });
    await this.#manager.consumers.add(askStream, {
      durable_name: GENERATORS,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(WORK_SILENCE),
      max_ack_pending: 10_000,
    });
    await this.#manager.consumers.add(answerStream, {
      durable_name: TRAINER,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(RESULT_SILENCE),
      max_ack_pending: 10_000,
    });
  }

  /** Offers the model of the generators. Machines hear of the run from now on. */
  async offer(model: Uint8Array): Promise<void> {
    this.#model = { bytes: model, reference: await this.put('model', () => [model]) };
    this.#announcing ??= setInterval(() => this.#announce(), ANNOUNCED_EVERY);
    this.#announce();
  }

  #announce(): void {
    if (this.#model === null || this.#closed) return;
    const message = {
      ...this.#said,
      run: this.run,
      model: this.#model.reference,
      firstWanted: this.#firstWanted,
      dropped: [...this.#dropped].slice(-MOST_NAMED),
    };
    this.#connection.publish(`${RUNS_SUBJECT}.${this.run}`, writeAnnouncement(this.#key, message));
  }

  /** Writes an object to the server. `pieces` are asked for again if the connection breaks. Its name begins with `kind`. */
  async put(kind: string, pieces: Pieces): Promise<ObjectReference> {
    try {
      return await putThrough(this.#reconnects, this.#objects, kind, pieces);
    } catch (error) {
      throw serverError(error);
    }
  }

  /** True if the server has it as it was written. @throws Error if it does not answer. */
  has(reference: ObjectReference): Promise<boolean> {
    return this.#reconnects.through(() => hasObject(this.#objects, reference));
  }

  remove({ name }: ObjectReference): Promise<void> {
    return removeObject(this.#objects, name);
  }

  async ask(request: Omit<Request, 'run'>): Promise<void> {
    try {
      const frame = writeRequest(this.#key, { ...request, run: this.run });
      const subject = this.#names.ask;
      const once = { msgID: String(request.chunk) };
      await this.#reconnects.through(() => this.#stream.publish(subject, frame, once));
    } catch (error) {
      throw serverError(error);
    }
  }

  /**
   * Marks requests as no longer needed. They stay in the queue until a machine takes them and passes over them: when requests were
   * deleted from the queue, a nats-server 2.9 has stopped handing out the others. `halfway` also ends those that are being answered.
   */
  passOver(chunks: readonly number[], halfway: boolean): void {
    this.#order({ kind: 'pass', run: this.run, chunks: [...chunks], halfway });
  }

  /** Sets the first request that needs an answer, which machines that come later must know. */
  set firstWanted(chunk: number) {
    this.#firstWanted = chunk;
  }

  /** Drops a machine. Machines that come later hear of it too, until it is let in again. */
  drop(machine: string, reason: string): void {
    this.#dropped.add(machine);
    this.#order({ kind: 'dropped', run: this.run, machine, reason: reason.slice(0, 400) });
    this.#announce();
  }

  letIn(machine: string): void {
    this.#dropped.delete(machine);
  }

  #order(order: Order): void {
    if (!this.#closed) this.#connection.publish(this.#names.orders, writeOrder(this.#key, order));
  }

  async #hearMachines(): Promise<void> {
    const gate = new FloodGate();
    const { machines } = this.#names;
    while (!this.#connection.isClosed()) {
      const round = performance.now();
      // The server sends at most so many, so a flood takes no time of this thread while nobody listens.
      for await (const { data, subject } of this.#connection.subscribe(`${machines}.*`, { max: HEARD })) {
        const machine = subject.slice(machines.length + 1);
        const hasAnswered = this.#listener?.hasAnswered(machine) === true;
        if (!gate.admits(machine, hasAnswered)) {
          if (hasAnswered) this.#listener?.overheard(machine);
          continue;
        }
        const presence = await readPresence(data);
        if (presence?.machine === machine) this.#listener?.present(presence);
      }
      await delay(Math.max(0, ROUND - (performance.now() - round)));
    }
  }

  /** Takes answers out of their queue until the channel is closed, also after the server was away. */
  async #takeAnswers(): Promise<void> {
    while (!this.#closed) {
      try {
        const queue = await this.#stream.consumers.get(this.#names.answerStream, TRAINER);
        const messages = await queue.fetch({ max_messages: ANSWERS_AT_ONCE, expires: QUEUE_WAIT });
        // The server that comes back does not know that messages are waited for.
        const off = this.#reconnects.on(() => messages.stop());
        try {
          for await (const message of messages) await this.#takeAnswer(message);
        } finally {
          off();
        }
      } catch (error) {
        if (this.#closed) return;
        if (lacksStream(error)) await this.#restore();
        await delay(AGAIN_AFTER);
      }
    }
  }

  async #takeAnswer(message: JsMsg): Promise<void> {
    const read = readAnswer(message.data);
    message.ack();
    this.#listener?.answered(read);
    const pause = this.#brake.pause(this.#listener?.unwanted() ?? 0);
    if (pause > 0) await delay(pause);
  }

  #restoring: Promise<void> | null = null;

  /** Makes again what the server has lost while it was away. */
  #restore(): Promise<void> {
    this.#restoring ??= this.#madeAgain().finally(() => (this.#restoring = null));
    return this.#restoring;
  }

  async #madeAgain(): Promise<void> {
    const { askStream, answerStream } = this.#names;
    const kept = await Promise.all(
      [askStream, answerStream].map((name) =>
        this.#manager.streams.info(name).then(
          () => true,
          (error: unknown) => !lacksStream(error),
        ),
      ),
    );
    if (this.#closed) return;
    const lost = !kept.every(Boolean);
    try {
      if (lost) await this.#reconnects.through(() => this.#makeQueues());
      if (this.#model !== null && !(await this.has(this.#model.reference)))
        await this.offer(this.#model.bytes);
      this.#listener?.back(lost);
    } catch (error) {
      this.#listener?.failed(serverError(error));
    }
  }

  /** Deletes the server's data of the run, and tells its machines. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#order({ kind: 'ended', run: this.run });
    this.#closed = true;
    if (this.#announcing !== null) clearInterval(this.#announcing);
    const { askStream, answerStream } = this.#names;
    await this.#reconnects.tidy(this.#manager.streams.delete(askStream));
    await this.#reconnects.tidy(this.#manager.streams.delete(answerStream));
    await this.#reconnects.tidy(removeObjects(this.#objects));
    await this.#reconnects.tidy(this.#connection.close());
  }
}
