/** The interface of every tracker to a run. */
import type { RunLine } from './runLines.ts';

export type Ending = 'finished' | 'failed';

export type Setting = string | number | boolean;

/** The facts of a run besides its lines. */
export interface TrackedRun {
  readonly name: string;
  /** The settings of `config.json`. Nested ones have the outer names in front, with dots, and lists are JSON. */
  readonly settings: ReadonlyMap<string, Setting>;
}

export interface Tracker {
  /** Finds the run there or makes it, with its settings. `earlier` are lines that it has. @returns the address where it can be seen. */
  open(earlier: readonly RunLine[]): Promise<string>;
  /** Sends lines that were never acknowledged; each call follows the last in the order of the log. Resolves when they have arrived. */
  send(lines: readonly RunLine[]): Promise<void>;
  /** Tells the tracker that the run goes on while it writes nothing, for trackers that take silence for a crash. */
  alive?(): Promise<void>;
  /** Reports that the run has ended. */
  close(ending: Ending): Promise<void>;
}

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
