/** The interface of a tracker, and helpers that trackers share. */
import type { RunLine } from './runLines.ts';

export type Ending = 'finished' | 'failed';

export type Setting = string | number | boolean;

/** The facts of a run that a tracker gets beside its lines. */
export interface TrackedRun {
  readonly name: string;
  /** The settings of `config.json`. Names of nested ones are joined by dots, and lists are JSON. */
  readonly settings: ReadonlyMap<string, Setting>;
}

export interface Tracker {
  /** Finds the run there or makes it, with its settings. `earlier` are the lines that it has. @returns where a person sees it */
  open(earlier: readonly RunLine[]): Promise<string>;
  /** Sends lines that were never acknowledged, in the order of the log. Resolves when they have arrived. */
  send(lines: readonly RunLine[]): Promise<void>;
  /** Tells a tracker that takes silence for a crash that the run goes on. */
  alive?(): Promise<void>;
  /** Reports that the run has ended. */
  close(ending: Ending): Promise<void>;
}

/** Parts of a list with at most `most` entries each, as one request takes them. */
export const partsOf = <Each>(list: readonly Each[], most: number): Each[][] =>
  Array.from({ length: Math.ceil(list.length / most) }, (_, i) => list.slice(i * most, (i + 1) * most));

/** A run's settings as trackers show them. */
export function flatSettings(config: object, prefix = ''): Map<string, Setting> {
  return new Map(
    Object.entries(config).flatMap(([key, value]: [string, unknown]): [string, Setting][] => {
      const name = `${prefix}${key}`;
      if (typeof value === 'object' && value !== null && !Array.isArray(value))
        return [...flatSettings(value, `${name}.`)];
      const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return [[name, plain ? value : JSON.stringify(value)]];
    }),
  );
}
