/** The time of a step of each task, as it was measured on this machine. */
import * as z from 'zod';
import type { RunConfig } from '@rl-playground/run/settings';
import type { RunSnapshot } from '@rl-playground/run/session';
import { mean } from '@rl-playground/base/statistics';

const KEY = 'rl-playground-step-seconds';
const timingsSchema = z.record(z.string(), z.number().positive());
type Timings = Readonly<z.infer<typeof timingsSchema>>;

/** The first steps compile and warm up, so they do not count. */
const WARMING = 2;
const FEWEST = 3;

/** The key of a timing: the task, with its preset unless that is the recommended one. */
export function timedAs({ task, preset }: Pick<RunConfig, 'task' | 'preset'>): string {
  return preset === 'default' ? task : `${task} ${preset}`;
}

/** The measured seconds of a step, by the key of a timing. */
export function timingsHere(): Timings {
  try {
    return timingsSchema.catch({}).parse(JSON.parse(localStorage.getItem(KEY) ?? '{}'));
  } catch {
    return {};
  }
}

/** The mean seconds of a step; null while too few steps were made. */
export function secondsPerStep({ metrics }: Pick<RunSnapshot, 'metrics'>): number | null {
  const counted = metrics.slice(WARMING).map(({ seconds }) => seconds);
  return counted.length < FEWEST ? null : mean(counted);
}

export function keepTiming(run: string, seconds: number): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...timingsHere(), [run]: seconds }));
  } catch {
    // Without storage, the cards say that nothing was timed.
  }
}
