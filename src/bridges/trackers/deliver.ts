/** Brings a run directory's lines to a tracker: all that are there, or as they are written until the run ends. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { plural } from '@rl-playground/base/text';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { isLocked } from '@rl-playground/run/disk';
import { RunLineReader, type RunLine } from './runLines.ts';
import type { TrackState } from './state.ts';
import type { Tracker } from './tracker.ts';

/** Milliseconds between two looks at a log that is followed. */
const LOOK_EVERY = 1000;

/**
 * `going`: a process writes to the directory. `ended`: none does, and it did not come to its end; or a program that writes without a lock
 * is at it.
 */
export type RunPhase = 'going' | 'finished' | 'ended';

export function phaseOf(folder: string): RunPhase {
  if (isLocked(folder)) return 'going';
  return existsSync(join(folder, RUN_DIRECTORY.results)) ? 'finished' : 'ended';
}

/** Whether a process of this machine is there. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export interface Delivery {
  readonly folder: string;
  /** Whether to stay until the run has ended. */
  readonly follow: boolean;
  /** The process that writes the run, where that is known: when it is gone, the run has ended. */
  readonly writer: number | null;
  readonly say: (text: string) => void;
  /** Resolves when it is time to look again. */
  readonly pause?: () => Promise<unknown>;
}

/** Whether a run that is followed has ended: who was seen to write to it does no longer, or it has its results. */
class End {
  readonly #delivery: Delivery;
  #seen = false;

  constructor(delivery: Delivery) {
    this.#delivery = delivery;
  }

  get reached(): boolean {
    const { folder, follow, writer } = this.#delivery;
    if (!follow) return true;
    const phase = phaseOf(folder);
    if (phase === 'going') this.#seen = true;
    if (phase !== 'ended') return phase === 'finished';
    return this.#seen || (writer !== null && !isRunning(writer));
  }
}

/** Resolves to the number of lines sent. @throws what the tracker throws; Error where the log can't be read. */
export async function deliver(tracker: Tracker, state: TrackState, delivery: Delivery): Promise<number> {
  const { folder, say, pause = () => sleep(LOOK_EVERY) } = delivery;
  const reader = new RunLineReader(folder, state.began);
  const end = new End(delivery);
  const isNew = (line: RunLine): boolean => !state.has(line);
  // Looked at before the log: what is written at the end is read then.
  let ended = end.reached;
  const there = reader.read();
  const place = await tracker.open(there.filter((line) => state.has(line)));
  say(place);
  let sent = 0;
  for (let lines = there.filter(isNew); ; lines = reader.read().filter(isNew)) {
    if (lines.length > 0) {
      await tracker.send(lines);
      sent += lines.length;
    }
    if (ended && (lines.length === 0 || !delivery.follow)) break;
    if (lines.length === 0) {
      await tracker.alive?.();
      await pause();
    }
    ended = end.reached;
  }
  const phase = phaseOf(folder);
  if (phase === 'going') say(`The run is still going on, so it stays open. --follow stays with it.`);
  else await tracker.close(phase === 'finished' ? 'finished' : 'failed');
  say(`sent ${plural(sent, 'line')} of the log; ${plural(state.lines, 'line')} in all`);
  return sent;
}
