/** The machines of a run: who is there, how fast each is, what it has added, and how far its log-probabilities are from the trainer's. */
import { withGap, type GapPoint } from './gapCourse.ts';
import type { Answer, Presence } from './messages.ts';

/** Milliseconds without a word after which a machine counts as gone. */
const GONE_AFTER = 10_000;

export interface MachineRecord {
  readonly id: string;
  readonly name: string;
  readonly computation: string;
  readonly precision: 'f32' | 'f16' | null;
  readonly here: boolean;
  /** Why the run hears nothing more from it; null for one that is sound. */
  readonly dropped: string | null;
  readonly groups: number;
  readonly answers: number;
  readonly tokens: number;
  /** While it works. */
  readonly tokensPerSecond: number;
  /** The largest |Δ log p| of a token of its so far, and the mean; nats. */
  readonly largestGap: number;
  readonly meanGap: number;
  readonly gaps: readonly GapPoint[];
  /** Answers whose draws were made again here. */
  readonly replayed: number;
}

interface Machine {
  record: MachineRecord;
  heard: number;
  since: number;
  busySeconds: number;
  failures: number;
}

export class MachineList {
  readonly #now: () => number;
  readonly #machines = new Map<string, Machine>();

  /** `now`: milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get records(): readonly MachineRecord[] {
    return [...this.#machines.values()].map(({ record }) => record);
  }

  record(id: string): MachineRecord | null {
    return this.#machines.get(id)?.record ?? null;
  }

  /** How many are there and sound. */
  get here(): number {
    return this.records.filter(({ here }) => here).length;
  }

  /** Seconds of work that all say they have done, at most as long as they have been known. */
  get busySeconds(): number {
    const now = this.#now();
    return [...this.#machines.values()].reduce(
      (sum, { busySeconds, since }) => sum + Math.min(busySeconds, (now - since) / 1000),
      0,
    );
  }

  /** Milliseconds since anyone who is there was last heard; null where nobody is. */
  get silence(): number | null {
    const heard = [...this.#machines.values()]
      .filter(({ record }) => record.here)
      .map((machine) => machine.heard);
    return heard.length === 0 ? null : this.#now() - Math.max(...heard);
  }

  /** Resolves to whether somebody came or went by it. */
  present({ machine: id, name, computation, leaving }: Presence): boolean {
    const known = this.#machines.get(id);
    if (known === undefined) {
      if (leaving) return false;
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
      this.#machines.set(id, { record, heard: now, since: now, busySeconds: 0, failures: 0 });
      return true;
    }
    known.heard = this.#now();
    const here = !leaving && known.record.dropped === null;
    const changed = here !== known.record.here;
    if (changed) known.record = { ...known.record, here };
    return changed;
  }

  /** Those that have said nothing for long are gone; whether there were any. */
  sweep(): boolean {
    const gone = [...this.#machines.values()].filter(
      ({ record, heard }) => record.here && this.#now() - heard > GONE_AFTER,
    );
    for (const machine of gone) machine.record = { ...machine.record, here: false };
    return gone.length > 0;
  }

  /** Counts a sound answer. */
  credit(answer: Answer, gaps: { readonly largest: number; readonly mean: number }, replayed: boolean): void {
    const machine = this.#machines.get(answer.machine);
    if (machine === undefined) return;
    machine.heard = this.#now();
    machine.failures = 0;
    machine.busySeconds = Math.max(machine.busySeconds, answer.busySeconds);
    const { record } = machine;
    const tokens = answer.completions.reduce((sum, each) => sum + each.tokens.length, 0);
    const all = record.tokens + tokens;
    machine.record = {
      ...record,
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

  /** Counts a request that the machine could not answer; how many in a row that makes. */
  failed(id: string): number {
    const machine = this.#machines.get(id);
    return machine === undefined ? 0 : ++machine.failures;
  }

  /** Whether it was sound before. */
  drop(id: string, reason: string): boolean {
    const machine = this.#machines.get(id);
    if (machine === undefined || machine.record.dropped !== null) return false;
    machine.record = { ...machine.record, here: false, dropped: reason };
    return true;
  }
}
