/** The definition of a preset, and the settings that several of them share. */
import type { RunConfig } from '../schema/schema.ts';

/** The run of the system that a preset repeats. */
export interface Original {
  readonly system: string;
  readonly model: string;
  /** The data set that it was asked. */
  readonly dataset: string;
  /** The tasks here that ask the same. */
  readonly sameTasks: readonly string[];
}

export interface Preset {
  /** A sentence about its settings, made from them where they differ by task. */
  readonly summary: string | ((settings: RunConfig) => string);
  /** Departures from the system that it reproduces; empty if it reproduces none. */
  readonly differences: readonly string[];
  readonly task?: string;
  /** The system that it repeats, or null. */
  readonly original: Original | null;
  values(task: string): Partial<RunConfig>;
  /** The results of its runs of a task, for the form; undefined if none was made, or if the task's own words hold. */
  expect?(task: string): string | undefined;
  /** Results with models from elsewhere, published by others or measured here; the words name the model. */
  others?(task: string): string | undefined;
}

/** The systems that presets repeat agree in these. What they leave unsaid is as usual (`schema/`). */
export const COMMON: Partial<RunConfig> = { lrSchedule: 'constant', klMeasuredShare: 1 };
