/** The machines of a run: those that are present, their speed and contribution, and how far their log-probabilities are from the trainer's. */
import { withGap, type GapPoint } from './gapCourse.ts';
import type { Answer, Failure, Presence } from './messages.ts';
import { LOOKS_UNTIL_GONE } from './patience.ts';

export interface MachineRecord {
  readonly id: string;
  readonly name: string;
  readonly computation: string;
  readonly precision: 'f32' | 'f16' | null;
  readonly here: boolean;
  /** The reason why the run ignores it from now on; null for a sound one. */
  readonly dropped: string | null;
  readonly groups: number;
  readonly answers: number;
  readonly tokens: number;
  readonly tokensPerSecond: number;
  /** The largest |Δ log p| of its tokens so far, and the mean, in nats. */
  readonly largestGap: number;
  readonly meanGap: number;
  readonly gaps: readonly GapPoint[];
  /** The number of answers whose draws were made again here. */
  readonly replayed: number;
}

interface Machine {
  record: MachineRecord;
  heard: number;
  /** The number of looks since it was heard. */
  missed: number;
  since: number;
  busySeconds: number;
  /** True if it has given an answer that counts since a machine last failed to answer. */
  proven: boolean;
  /** The requests in a row that it could not answer, by its own fault and by the server's. */
  failures: number;
  troubles: number;
  /** The state of a dropped machine: whether it may come back, and whether it has left since. */
  mayReturn: boolean;
  left: boolean;
}

/** The most machines: a class and its spare machines. Invented machines make the list no longer. */
export const MOST_MACHINES = 256;

export class MachineList {
  readonly #now: () => number;
  readonly #machines = new Map<string, Machine>();

  /** `now` returns milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get records(): readonly MachineRecord[] {
    return [...this.#machines.values()].map(({ record }) => record);
  }

  record(id: string): MachineRecord | null {
    return this.#machines.get(id)?.record ?? null;
  }

  hasAnswered(id: string): boolean {
    return (this.record(id)?.groups ?? 0) > 0;
  }

  get here(): number {
    return this.records.filter(({ here }) => here).length;
  }

  /** The number of present machines that have given an answer that counts since a machine last failed to answer. */
  get proven(): number {
    return [...this.#machines.values()].filter(({ record, proven }) => record.here && proven).length;
  }

  /**
   * Notes that a machine took a request and did not answer. The queue does not tell which one, so each has to answer once more before it
   * is counted on.
   */
  doubt(): void {
    for (const machine of this.#machines.values()) machine.proven = false;
  }

  /** The seconds of work that all machines report, each at most as long as it has been known. */
  get busySeconds(): number {
    const now = this.#now();
    return [...this.#machines.values()].reduce(
      (sum, { busySeconds, since }) => sum + Math.min(busySeconds, (now - since) / 1000),
      0,
    );
  }

  /** The milliseconds since any present machine was last heard; null if none is present. */
  get silence(): number | null {
    const heard = [...this.#machines.values()]
      .filter(({ record }) => record.here)
      .map((machine) => machine.heard);
    return heard.length === 0 ? null : this.#now() - Math.max(...heard);
  }

  /** Notes a presence message. Returns true if a machine came or went by it; one for which there is no room does not count. */
  present({ machine: id, name, computation, leaving }: Presence): boolean {
    const known = this.#machines.get(id);
    if (known === undefined) {
      if (leaving || !this.#hasRoom()) return false;
      const record: MachineRecord = {
        id,
        name,
        computation,
        precision: null,
        here: true,
        dropped: null,
        groups: 0,
        answers: 0,
        tokens: 0,
        tokensPerSecond: 0,
        largestGap: 0,
        meanGap: 0,
        gaps: [],
        replayed: 0,
      };
      const now = this.#now();
      this.#machines.set(id, {
        record,
        heard: now,
        missed: 0,
        since: now,
        busySeconds: 0,
        proven: false,
        failures: 0,
        troubles: 0,
        mayReturn: false,
        left: false,
      });
      return true;
    }
    this.#hear(known);
    if (known.mayReturn && known.left && !leaving) {
      known.record = { ...known.record, dropped: null };
      known.mayReturn = false;
      known.failures = 0;
    }
    known.left = leaving;
    const here = !leaving && known.record.dropped === null;
    const changed = here !== known.record.here;
    if (changed) known.record = { ...known.record, here };
    return changed;
  }

  /** Makes room in a full list by forgetting the earliest machine that has added nothing: one that is gone, else one that was dropped. */
  #hasRoom(): boolean {
    if (this.#machines.size < MOST_MACHINES) return true;
    const idle = [...this.#machines].filter(([, { record }]) => record.groups === 0);
    const forgotten =
      idle.find(([, { record }]) => !record.here && record.dropped === null) ??
      idle.find(([, { record }]) => record.dropped !== null);
    return forgotten !== undefined && this.#machines.delete(forgotten[0]);
  }

  /** True if its answers are checked, including those that it had begun before it was dropped for a while. */
  mayAnswer(id: string): boolean {
    const machine = this.#machines.get(id);
    return machine !== undefined && (machine.record.dropped === null || machine.mayReturn);
  }

  /** True if it was dropped, has left, and may come back. */
  mayReturn(id: string): boolean {
    const machine = this.#machines.get(id);
    return machine !== undefined && machine.mayReturn && machine.left;
  }

  /** Counts a machine as heard without checking the message, so that a stranger who floods its name does not make it count as gone. */
  overheard(id: string): void {
    const machine = this.#machines.get(id);
    if (machine !== undefined) this.#hear(machine);
  }

  #hear(machine: Machine): void {
    machine.heard = this.#now();
    machine.missed = 0;
  }

  /** Looks once a second for machines that have been silent for long, and counts them as gone. Returns true if there were any. */
  sweep(): boolean {
    const gone = [...this.#machines.values()].filter(
      (machine) => ++machine.missed > LOOKS_UNTIL_GONE && machine.record.here,
    );
    for (const machine of gone) machine.record = { ...machine.record, here: false };
    return gone.length > 0;
  }

  credit(answer: Answer, gaps: { readonly largest: number; readonly mean: number }, replayed: boolean): void {
    const machine = this.#machines.get(answer.machine);
    if (machine === undefined) return;
    this.#hear(machine);
    machine.proven = true;
    machine.failures = 0;
    machine.troubles = 0;
    machine.busySeconds = Math.max(machine.busySeconds, answer.busySeconds);
    const { record } = machine;
    const tokens = answer.completions.reduce((sum, each) => sum + each.tokens.length, 0);
    const all = record.tokens + tokens;
    machine.record = {
      ...record,
      here: record.dropped === null && !machine.left,
      precision: answer.precision,
      groups: record.groups + 1,
      answers: record.answers + answer.completions.length,
      tokens: all,
      tokensPerSecond: all / Math.max(machine.busySeconds, 1e-3),
      largestGap: Math.max(record.largestGap, gaps.largest),
      meanGap: (record.meanGap * record.tokens + gaps.mean * tokens) / all,
      gaps: withGap(record.gaps, { version: answer.version, tokens, ...gaps }),
      replayed: record.replayed + (replayed ? answer.completions.length : 0),
    };
  }

  /** Counts a request that the machine could not answer by this fault, and returns how many in a row that makes. */
  failed(id: string, fault: Failure['fault']): number {
    const machine = this.#machines.get(id);
    if (machine === undefined) return 0;
    return fault === 'server' ? ++machine.troubles : ++machine.failures;
  }

  /** Drops a machine, and returns true if it was sound before. `mayReturn`: it gets work again once it has left and joins anew. */
  drop(id: string, reason: string, mayReturn: boolean): boolean {
    const machine = this.#machines.get(id);
    if (machine === undefined || machine.record.dropped !== null) return false;
    machine.mayReturn = mayReturn;
    machine.record = { ...machine.record, here: false, dropped: reason };
    return true;
  }
}
