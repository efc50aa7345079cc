/** A generator that joins runs: it waits for a run, works for it until it ends, and waits for the next. */
import type { NatsConnection } from '@nats-io/nats-core';
import { messageOf } from '@rl-playground/base/errors';
import type { BaseTakingPool } from '@rl-playground/engine/parts';
import { FloodGate } from './floodGate.ts';
import { newKey } from './frames.ts';
import type { RemoteModel } from './generatorModel.ts';
import type { HubAccess } from './hubBase.ts';
import { KeptBase, type PlaceBase } from './keptBase.ts';
import { RunWork, type WorkNews } from './machineWork.ts';
import { readAnnouncement, type Announcement } from './messages.ts';
import { isRunNamed, runLabel, RUNS_SUBJECT } from './names.ts';
import { OVER_AFTER } from './patience.ts';
import { Reconnects } from './reconnects.ts';

/** The milliseconds for which a machine avoids a run that has ended, whose last announcements may still arrive, or that has dropped it. */
const AWAY_FOR = 60_000;
const AGAIN_AFTER = 5000;

export interface MachineEngine {
  /** The result of `computationOf`. */
  readonly computation: string;
  readonly createPool: (model: RemoteModel) => BaseTakingPool;
}

export interface MachineParts {
  readonly connection: NatsConnection;
  /** The name in the run's list. */
  readonly name: string;
  readonly runName: string | null;
  readonly engineFor: (run: Pick<Announcement, 'computation'>) => MachineEngine;
  readonly onNews: (news: MachineEvent) => void;
  /** Puts a base onto the device of its generators, for all runs that use it; left out if they are in other threads. */
  readonly placeBase?: PlaceBase;
  /** The hubs that its owner allows for a run's base; none by default. */
  readonly hub?: HubAccess | undefined;
  /** Milliseconds that replace the usual minute. */
  readonly awayFor?: number;
}

export type MachineEvent =
  | { readonly kind: 'waiting'; readonly others: readonly string[] }
  | { readonly kind: 'joined'; readonly run: Announcement }
  | { readonly kind: 'left'; readonly run: Announcement; readonly reason: string }
  | WorkNews;

interface HeardRun {
  readonly run: Announcement;
  readonly at: number;
}

/** The most runs of one server that are remembered. */
const MOST_RUNS = 1000;

export class Machine {
  readonly #parts: MachineParts;
  readonly #key = newKey();
  readonly #reconnects: Reconnects;
  readonly #kept: KeptBase;
  readonly #runs = new Map<string, HeardRun>();
  /** Runs that have ended or can't use this machine, and the time in milliseconds until which it avoids them. */
  readonly #avoided = new Map<string, number>();
  #work: RunWork | null = null;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#reconnects = new Reconnects(parts.connection);
    this.#kept = new KeptBase(parts.placeBase ?? null);
  }

  /** Works until `signal` says so, or the connection is closed. */
  async serve(signal: AbortSignal): Promise<void> {
    const heard = this.#parts.connection.subscribe(`${RUNS_SUBJECT}.*`);
    const stop = (): void => {
      heard.unsubscribe();
      this.#work?.stop('it was asked to');
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const working: { now: Promise<void> | null } = { now: null };
    this.#parts.onNews({ kind: 'waiting', others: [] });
    const gate = new FloodGate();
    for await (const { data, subject } of heard) {
      const sender = subject.slice(RUNS_SUBJECT.length + 1);
      if (!gate.admits(sender, sender === this.#work?.run)) continue;
      const run = await readAnnouncement(data);
      if (run?.run !== sender) continue;
      this.#hear(run);
      this.#work?.announced(run);
      if (working.now !== null) continue;
      const chosen = this.#choose();
      if (chosen) working.now = this.#workFor(chosen).finally(() => (working.now = null));
      else this.#sayWaiting();
    }
    await working.now;
    this.#kept.drop();
  }

  /** Remembers a run. A stranger who announces runs without end only makes the oldest be forgotten. */
  #hear(run: Announcement): void {
    const known = this.#runs.delete(run.run);
    this.#runs.set(run.run, { run, at: Date.now() });
    const [oldest] = this.#runs.keys();
    if (!known && this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest);
  }

  #choose(): Announcement | null {
    const { runName } = this.#parts;
    const now = Date.now();
    const id = this.#key.getPublicKey();
    const open = [...this.#runs.values()].filter(
      ({ run, at }) =>
        now - at < OVER_AFTER && (this.#avoided.get(run.run) ?? 0) < now && !run.dropped.includes(id),
    );
    return open.find(({ run }) => runName === null || isRunNamed(runName, run))?.run ?? null;
  }

  #sayWaiting(): void {
    const now = Date.now();
    const others = [...this.#runs.values()]
      .filter(({ run, at }) => now - at < OVER_AFTER && !this.#avoided.has(run.run))
      .map(({ run }) => runLabel(run));
    this.#parts.onNews({ kind: 'waiting', others });
  }

  async #workFor(run: Announcement): Promise<void> {
    const { connection, name, engineFor, onNews, hub = null, awayFor = AWAY_FOR } = this.#parts;
    let reason = 'the run has ended';
    try {
      const work = await RunWork.open({
        connection,
        reconnects: this.#reconnects,
        key: this.#key,
        run,
        name,
        ...engineFor(run),
        kept: this.#kept,
        hub,
        onNews,
      });
      this.#work = work;
      onNews({ kind: 'joined', run });
      reason = await work.untilEnd();
      this.#avoided.set(run.run, Date.now() + awayFor);
    } catch (error) {
      reason = messageOf(error);
      this.#avoided.set(run.run, Date.now() + AGAIN_AFTER);
    } finally {
      this.#work = null;
    }
    onNews({ kind: 'left', run, reason });
    this.#sayWaiting();
  }
}
