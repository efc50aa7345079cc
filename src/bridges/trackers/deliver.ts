/** Sends a run directory's lines to a tracker: all that are there, or as they are written until the run ends. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { plural } from '@rl-playground/base/text';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { isLocked, isRunning } from '@rl-playground/run/disk';
import { RunLineReader, type RunLine } from './runLines.ts';
import type { TrackState } from './state.ts';
import type { Tracker } from './tracker.ts';

/** The milliseconds between two looks at a log that is followed. */
const LOOK_EVERY = 1000;

/**
 * A run is `going` while a process writes to the directory, and `finished` with its results. Any other has `ended`, unless a program without
 * a lock writes to it.
 */
export type RunPhase = 'going' | 'finished' | 'ended';

export function phaseOf(folder: string): RunPhase {
  if (isLocked(folder)) return 'going';
  return existsSync(join(folder, RUN_DIRECTORY.results)) ? 'finished' : 'ended';
}

export interface Delivery {
  readonly folder: string;
  /** True to stay until the run has ended. */
  readonly follow: boolean;
  /** The process that writes the run, if it is known; without it the run has ended. */
  readonly writer: number | null;
  readonly say: (text: string) => void;
  /** Resolves when it is time to look again. */
  readonly pause?: () => Promise<unknown>;
}

/** Tells whether a run that is followed has ended: it has its results, or the process that wrote to it does so no longer. */
function endOf({ folder, follow, writer }: Delivery): () => boolean {
  let seen = false;
  return () => {
    if (!follow) return true;
    const phase = phaseOf(folder);
    if (phase === 'going') seen = true;
    if (phase !== 'ended') return phase === 'finished';
    return seen || (writer !== null && !isRunning(writer));
  };
}

/** Resolves to the number of lines sent. @throws the tracker's errors, and Error if the log can't be read. */
export async function deliver(tracker: Tracker, state: TrackState, delivery: Delivery): Promise<number> {
  const { folder, say, pause = () => sleep(LOOK_EVERY) } = delivery;
  const reader = new RunLineReader(folder, state.began);
  const hasEnded = endOf(delivery);
  const isNew = (line: RunLine): boolean => !state.has(line);
  // Looked at before the log: what is written at the end is read then.
  let ended = hasEnded();
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
    ended = hasEnded();
  }
  const phase = phaseOf(folder);
  if (phase === 'going') say(`The run is still going on, so it stays open. --follow stays with it.`);
  else await tracker.close(phase === 'finished' ? 'finished' : 'failed');
  say(`sent ${plural(sent, 'line')} of the log; ${plural(state.lines, 'line')} in all`);
  return sent;
}
