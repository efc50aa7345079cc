/**
 * Deals groups to machines and takes their answers. Groups go out in chunks, a few ahead of the machines' work, so that a fast machine
 * takes more. An answer is checked before it counts. A machine whose answer is wrong is dropped and named, and others get its requests. A
 * request that is not answered within a deadline of the run's own pace is asked again.
 */
import { messageOf } from '@rl-playground/base/errors';
import { hexadecimal } from '@rl-playground/base/text';
import type { GeneratorModel } from '@rl-playground/engine/parts';
import { answerProblem } from './answerChecks.ts';
import type { Call } from './call.ts';
import { FloodGate } from './floodGate.ts';
import type { Inspector } from './inspector.ts';
import { MOST_MACHINES, type MachineList, type MachineRecord } from './machineList.ts';
import type { Answer, Failure, Read } from './messages.ts';
import type { RunChannel } from './runChannel.ts';
import type { WeightsOnShelf } from './weightShelf.ts';

/** The chunks of each machine that are on their way: one that it works on, and one that waits for it. */
export const AHEAD = 2;
/** The requests in a row that a machine can't answer before it gets no more, or before the run reports that the server is at fault. */
const MOST_FAILURES = 3;
/** The machines that have shown nothing yet whose answers are checked each second beside generators here. */
const NEW_PER_SECOND = 16;
/** The seconds before a chunk is asked again: until the first has come, and afterwards as multiples of the time of the last ones. */
const FIRST_PATIENCE = 120;
const PACES = 8;
const LEAST_PATIENCE = 5;
export const MOST_PATIENCE = 600;
/** The part of the run's connection that dealing needs. */
export type AskingChannel = Pick<RunChannel, 'ask' | 'passOver' | 'firstWanted' | 'drop'>;

interface Chunk {
  readonly id: number;
  readonly nonce: string;
  readonly call: Call;
  readonly indices: readonly number[];
  readonly asked: number;
  readonly due: number;
  /** True if its groups were given back; answers still count. */
  late: boolean;
}

/** The numbers of answers that were refused, by reason. */
export interface Refusals {
  /** Messages that could not be read. */
  readonly unreadable: number;
  /** Answers that nobody had asked for, or that had come already. */
  readonly unasked: number;
  /** Answers that the machine they name has not signed. */
  readonly forged: number;
  /** Wrong answers, whose machine was dropped. */
  readonly wrong: number;
}

export interface DealerParts {
  readonly channel: AskingChannel;
  readonly machines: MachineList;
  readonly inspector: Pick<Inspector, 'inspect'>;
  readonly model: GeneratorModel;
  readonly now: () => number;
  /** The number of generators here that take groups of the same calls. */
  readonly locals: number;
  readonly onDropped: (machine: MachineRecord) => void;
  /** Reports that a machine has met trouble with the server, where the run's objects may be lost. */
  readonly onServerTrouble: () => void;
}

export class Dealer {
  readonly #parts: DealerParts;
  readonly #calls: Call[] = [];
  readonly #chunks = new Map<number, Chunk>();
  readonly #delivered: { readonly machine: string; readonly call: Call; readonly index: number }[] = [];
  #nextChunk = 1;
  /** The seconds that the last chunks took. */
  #pace: number | null = null;
  #refusals = { unreadable: 0, unasked: 0, forged: 0, wrong: 0 };
  readonly #gate: FloodGate;
  /** The machines whose answers are checked now, the most recent last. */
  readonly #looked = new Set<string>();

  constructor(parts: DealerParts) {
    this.#parts = parts;
    this.#gate = new FloodGate(NEW_PER_SECOND, parts.now);
  }

  get refusals(): Refusals {
    return this.#refusals;
  }

  get unwanted(): number {
    const { unreadable, unasked, forged, wrong } = this.#refusals;
    return unreadable + unasked + forged + wrong;
  }

  get busy(): boolean {
    return this.#calls.some(({ over }) => !over);
  }

  get weightsInUse(): ReadonlySet<WeightsOnShelf> {
    return new Set(this.#calls.filter(({ over }) => !over).map(({ weights }) => weights));
  }

  get patience(): number {
    return this.#pace === null
      ? FIRST_PATIENCE
      : Math.min(MOST_PATIENCE, Math.max(LEAST_PATIENCE, PACES * this.#pace));
  }

  /** Deals those groups of the call that nobody else takes, from now on. */
  ask(call: Call): void {
    this.#calls.push(call);
    const forget = (): void => {
      this.#calls.splice(this.#calls.indexOf(call), 1);
      const left = [...this.#chunks.values()].filter((chunk) => chunk.call === call).map(({ id }) => id);
      for (const id of left) this.#chunks.delete(id);
      this.#passOver(left, true);
      const others = this.#delivered.filter((each) => each.call !== call);
      this.#delivered.splice(0, this.#delivered.length, ...others);
      this.feed();
    };
    call.groups.then(forget, forget);
    this.feed();
  }

  /** Puts as much into the queue as the present machines will soon work on. */
  feed(): void {
    const { machines, locals } = this.#parts;
    for (const call of this.#calls) {
      // Beside generators here, machines that have shown nothing yet are given no more than a trial.
      const takers = locals === 0 || call.isTrial ? machines.here : machines.proven;
      while (call.waiting > 0) {
        const underWay = [...this.#chunks.values()].filter(
          (chunk) => !chunk.late && chunk.call.isTrial === call.isTrial,
        ).length;
        if (underWay >= AHEAD * takers) break;
        // Guided self-scheduling (Polychronopoulos and Kuck 1987): large parts first, small ones towards the end.
        this.#deal(call, call.take(Math.max(1, Math.ceil(call.waiting / (AHEAD * (takers + locals))))));
      }
    }
  }

  #deal(call: Call, indices: readonly number[]): void {
    const id = this.#nextChunk++;
    const { now, channel } = this.#parts;
    const { patience } = this;
    const nonce = hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
    const chunk: Chunk = {
      id,
      nonce,
      call,
      indices,
      asked: now(),
      due: now() + 1000 * patience,
      late: false,
    };
    this.#chunks.set(id, chunk);
    const send = async (): Promise<void> => {
      const weights = await call.weights.references();
      if (call.over) return;
      const groups = indices.flatMap((index) => call.requests[index] ?? []);
      await channel.ask({
        chunk: id,
        nonce,
        weights,
        sampling: call.sampling,
        groups,
        patience,
      });
      this.#cannotSend = false;
    };
    send().catch((error: unknown) => this.#unsent(chunk, error));
  }

  /** Notes that the server is away or full. Its next message, or the chunk's deadline, sends the chunk again. */
  #unsent(chunk: Chunk, error: unknown): void {
    // It is tried each second, and reported once.
    if (!this.#cannotSend) this.#lastProblem = messageOf(error);
    this.#cannotSend = true;
    this.#chunks.delete(chunk.id);
    chunk.call.giveBack(chunk.indices);
  }

  #lastProblem: string | null = null;
  #cannotSend = false;

  /** Returns the reason why requests could not be sent or answered since the last call. */
  takeProblem(): string | null {
    const problem = this.#lastProblem;
    this.#lastProblem = null;
    return problem;
  }

  /** Asks overdue chunks again. It must be called every second or so. */
  tick(): void {
    const now = this.#parts.now();
    const { machines, locals } = this.#parts;
    // If no machine is counted on any more, the generators here answer what machines had.
    const deserted = machines.proven === 0 && locals > 0;
    for (const chunk of this.#chunks.values()) {
      if (chunk.late) continue;
      if (now > chunk.due) {
        machines.doubt();
        this.#giveBack(chunk);
      } else if (deserted && !chunk.call.isTrial) this.#giveBack(chunk);
    }
    if (deserted) for (const call of this.#calls) call.rouse();
    this.feed();
  }

  /** Asks all chunks again after the server has lost its queue. */
  askAllAgain(): void {
    for (const chunk of this.#chunks.values()) this.#giveBack(chunk);
    this.feed();
  }

  #giveBack(chunk: Chunk): void {
    const before = chunk.late;
    chunk.late = true;
    if (!before) this.#passOver([chunk.id], false);
    chunk.call.giveBack(chunk.indices);
  }

  #passOver(chunks: readonly number[], halfway: boolean): void {
    const { channel } = this.#parts;
    const wanted = [...this.#chunks.values()].filter(({ late }) => !late).map(({ id }) => id);
    channel.firstWanted = Math.min(this.#nextChunk, ...wanted);
    if (chunks.length > 0) channel.passOver(chunks, halfway);
  }

  /** Takes a message, or null for one that could not be read. Resolves when it has been checked. */
  async answered(read: Read<Answer | Failure> | null): Promise<void> {
    if (read === null) {
      this.#refusals.unreadable++;
      return;
    }
    const { message, signedBy } = read;
    const chunk = this.#chunks.get(message.chunk);
    const isAsked = chunk !== undefined && chunk.nonce === message.nonce;
    if (!isAsked || !this.#parts.machines.mayAnswer(message.machine)) {
      this.#refusals.unasked++;
      return;
    }
    // Anyone can put a machine's name on an answer: one without its signature is not its fault.
    if (!(await signedBy(message.machine))) {
      this.#refusals.forged++;
      return;
    }
    if (!this.#mayLook(message.machine)) {
      this.#refusals.unasked++;
      this.#giveBack(chunk);
      this.feed();
      return;
    }
    try {
      if (message.kind === 'failed') this.#failed(chunk, message);
      else await this.#look(chunk, message);
    } catch (error) {
      // The trainer's own device has failed.
      chunk.call.fail(error);
    }
  }

  /**
   * True if answers of this machine may be checked now. Each new machine costs a pass of the model, and strangers can invent machines, so
   * beside generators here only a number of new ones is checked each second.
   */
  #mayLook(machine: string): boolean {
    const { locals, machines } = this.#parts;
    if (locals === 0 || machines.hasAnswered(machine) || this.#looked.has(machine)) return true;
    if (!this.#gate.admits(machine, false)) return false;
    this.#looked.add(machine);
    const [first] = this.#looked;
    if (this.#looked.size > MOST_MACHINES && first !== undefined) this.#looked.delete(first);
    return true;
  }

  #failed(chunk: Chunk, { machine, message, fault }: Failure): void {
    const { machines, onServerTrouble } = this.#parts;
    const failures = machines.failed(machine, fault);
    if (fault === 'machine') {
      if (failures >= MOST_FAILURES)
        this.#drop(machine, `it failed ${MOST_FAILURES} times in a row: ${message}`, true);
    } else {
      onServerTrouble();
      if (failures === MOST_FAILURES)
        this.#lastProblem = `${machines.record(machine)?.name ?? machine} has met trouble with the server ${MOST_FAILURES} times in a row, and goes on trying: ${message}`;
    }
    this.#giveBack(chunk);
    this.feed();
  }

  async #look(chunk: Chunk, answer: Answer): Promise<void> {
    const { call } = chunk;
    const index = chunk.indices[answer.group];
    const request = index === undefined ? undefined : call.requests[index];
    if (index === undefined || request === undefined || call.over || call.isAnswered(index)) {
      this.#refusals.unasked++;
      return;
    }
    const { model, inspector, machines } = this.#parts;
    const { weights, sampling } = call;
    const shape = answerProblem(answer, request, sampling, model, weights.version);
    const { completions, computation } = answer;
    const found =
      shape === null
        ? await inspector.inspect({ weights, request, sampling, completions, computation })
        : null;
    const wrong = shape ?? found?.wrong ?? null;
    if (wrong !== null) {
      this.#refusals.wrong++;
      this.#drop(answer.machine, wrong, false);
      this.#giveBack(chunk);
      this.feed();
      return;
    }
    if (!found || call.over || call.isAnswered(index) || !machines.mayAnswer(answer.machine)) {
      this.#refusals.unasked++;
      return;
    }
    machines.credit(answer, found.gaps, found.replayed);
    this.#delivered.push({ machine: answer.machine, call, index });
    call.deliver(index, call.resultOf(completions, answer.seconds));
    if (chunk.indices.every((each) => call.isAnswered(each))) this.#ended(chunk);
    this.feed();
  }

  #ended(chunk: Chunk): void {
    this.#chunks.delete(chunk.id);
    const seconds = (this.#parts.now() - chunk.asked) / 1000;
    this.#pace = this.#pace === null ? seconds : Math.max(seconds, 0.8 * this.#pace);
  }

  #drop(machine: string, reason: string, mayReturn: boolean): void {
    const { machines, channel, onDropped } = this.#parts;
    if (!machines.drop(machine, reason, mayReturn)) return;
    channel.drop(machine, reason);
    for (const { machine: of, call, index } of this.#delivered) if (of === machine) call.takeBack(index);
    const record = machines.record(machine);
    if (record) onDropped(record);
  }
}
