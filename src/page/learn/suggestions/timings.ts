/** How long a step of a task has taken on this machine: what the page says about time is measured here or not said. */
import * as z from 'zod';
import type { RunConfig } from '@rl-playground/run/settings';
import type { RunSnapshot } from '@rl-playground/run/session';
import { mean } from '@rl-playground/base/statistics';

const KEY = 'rl-playground-step-seconds';
const timingsSchema = z.record(z.string(), z.number().positive());
type Timings = Readonly<z.infer<typeof timingsSchema>>;

/** The first steps compile and warm up; they do not count. */
const WARMING = 2;
const FEWEST = 3;

/** By what a run is timed: its task, and its preset where that is not the recommended one. */
export function timedAs({ task, preset }: Pick<RunConfig, 'task' | 'preset'>): string {
  return preset === 'default' ? task : `${task} ${preset}`;
}

/** Seconds a step under the settings that a task, or a preset of it, begins with; none for those that were not run so here. */
export function timingsHere(): Timings {
  try {
    return timingsSchema.catch({}).parse(JSON.parse(localStorage.getItem(KEY) ?? '{}'));
  } catch {
    return {};
  }
}

/** Seconds a step of a run; null while too few were made. */
export function secondsPerStep({ metrics }: Pick<RunSnapshot, 'metrics'>): number | null {
  const counted = metrics.slice(WARMING).map(({ seconds }) => seconds);
  return counted.length < FEWEST ? null : mean(counted);
}

export function keepTiming(run: string, seconds: number): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...timingsHere(), [run]: seconds }));
  } catch {
    // Where nothing is stored, nothing is said.
  }
}
