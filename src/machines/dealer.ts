/**
 * Deals groups to machines and takes their answers. Groups go out in chunks, a few ahead of what the machines are at, so that who is fast takes more. An
 * answer is looked at before it counts; a machine that is wrong is dropped and named, and what it was asked goes to others. What does not
 * come within a deadline of the run's own pace is asked again.
 */
import { messageOf } from '@rl-playground/base/errors';
import { hexadecimal } from '@rl-playground/base/text';
import type { GeneratorModel } from '@rl-playground/engine/parts';
import { answerProblem } from './answerChecks.ts';
import type { Call } from './call.ts';
import { FloodGate } from './floodGate.ts';
import type { Inspector } from './inspector.ts';
import { MOST_MACHINES, type MachineList, type MachineRecord } from './machineList.ts';
import type { Answer, Failure, Read, Request } from './messages.ts';
import type { WeightsOnShelf } from './weightShelf.ts';

/** Chunks under way for each machine: one that it is at, and one that waits for it. */
export const AHEAD = 2;
/** Requests that a machine can't answer, one after the other, until no more are given to it; or, by the server's fault, until that is said. */
const MOST_FAILURES = 3;
/** Machines a second that have shown nothing yet and whose answers are looked at beside generators here. */
const NEW_PER_SECOND = 16;
/** Seconds until a chunk is asked again: before any has come, and as multiples of how long the last ones took. */
const FIRST_PATIENCE = 120;
const PACES = 8;
const LEAST_PATIENCE = 5;
export const MOST_PATIENCE = 600;
/** The run's end of the connection, as far as dealing needs it. */
export interface AskingChannel {
  ask(request: Omit<Request, 'run'>): Promise<void>;
  passOver(chunks: readonly number[], halfway: boolean): void;
  firstWanted: number;
  drop(machine: string, reason: string): void;
}

interface Chunk {
  readonly id: number;
  readonly nonce: string;
  readonly call: Call;
  /** Of the groups in the call. */
  readonly indices: readonly number[];
  readonly asked: number;
  readonly due: number;
  /** Whether its groups were given back: answers still count. */
  late: boolean;
}

/** What of answers was not taken. */
export interface Refusals {
  /** No answer at all. */
  readonly unreadable: number;
  /** Nobody had asked for them, or they had come already. */
  readonly unasked: number;
  /** Not signed by the machine that they name. */
  readonly forged: number;
  /** Wrong: their machine was dropped. */
  readonly wrong: number;
}

export interface DealerParts {
  readonly channel: AskingChannel;
  readonly machines: MachineList;
  readonly inspector: Pick<Inspector, 'inspect'>;
  readonly model: GeneratorModel;
  /** Milliseconds. */
  readonly now: () => number;
  /** Generators here that take groups of the same calls. */
  readonly locals: number;
  readonly onDropped: (machine: MachineRecord) => void;
  /** A machine has met trouble with the server: the run's objects may be lost there. */
  readonly onServerTrouble: () => void;
}

export class Dealer {
  readonly #parts: DealerParts;
  readonly #calls: Call[] = [];
  readonly #chunks = new Map<number, Chunk>();
  readonly #delivered: { readonly machine: string; readonly call: Call; readonly index: number }[] = [];
  #nextChunk = 1;
  /** Seconds that a chunk took, of the last ones. */
  #pace: number | null = null;
  #refusals = { unreadable: 0, unasked: 0, forged: 0, wrong: 0 };
  readonly #gate: FloodGate;
  /** Machines whose answers are looked at, the last of them. */
  readonly #looked = new Set<string>();

  constructor(parts: DealerParts) {
    this.#parts = parts;
    this.#gate = new FloodGate(NEW_PER_SECOND, parts.now);
  }

  get refusals(): Refusals {
    return this.#refusals;
  }

  /** Answers that were not taken. */
  get unwanted(): number {
    const { unreadable, unasked, forged, wrong } = this.#refusals;
    return unreadable + unasked + forged + wrong;
  }

  /** Whether anything is owed. */
  get busy(): boolean {
    return this.#calls.some(({ over }) => !over);
  }

  /** Weights with which something is asked. */
  get weightsInUse(): ReadonlySet<WeightsOnShelf> {
    return new Set(this.#calls.filter(({ over }) => !over).map(({ weights }) => weights));
  }

  /** Seconds that a chunk may take now. */
  get patience(): number {
    return this.#pace === null
      ? FIRST_PATIENCE
      : Math.min(MOST_PATIENCE, Math.max(LEAST_PATIENCE, PACES * this.#pace));
  }

  /** Deals the call's groups from now on, those that nobody else takes. */
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

  /** Puts as much into the queue as the machines that are there will soon be at. */
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

  /** The server is away or full: its next news, or the chunk's deadline, sends it again. */
  #unsent(chunk: Chunk, error: unknown): void {
    // It is tried each second, and said once.
    if (!this.#cannotSend) this.#lastProblem = messageOf(error);
    this.#cannotSend = true;
    this.#chunks.delete(chunk.id);
    chunk.call.giveBack(chunk.indices);
  }

  #lastProblem: string | null = null;
  #cannotSend = false;

  /** Why requests could not be sent or answered, since it was last asked. */
  takeProblem(): string | null {
    const problem = this.#lastProblem;
    this.#lastProblem = null;
    return problem;
  }

  /** Asks again what is overdue; to be called every second or so. */
  tick(): void {
    const now = this.#parts.now();
    const { machines, locals } = this.#parts;
    // Where no machine is counted on any more, the generators here answer what machines had.
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

  /** The server has lost its queue. */
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

  /** Null: what came could not be read. Resolves when it has been looked at. */
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
    // Anyone can say that an answer is somebody's: what is not signed is no fault of theirs.
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
      // It is the trainer's own device that failed.
      chunk.call.fail(error);
    }
  }

  /** Whoever invents machines costs a pass of the model for each. Beside generators here a number of new ones is looked at in a second. */
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
