/** What reading settings from outside gives. */
import type { FieldKey, RunConfig } from '../runFields.ts';

/** A key that means nothing here. */
export interface Ignored {
  readonly path: string;
  readonly value: unknown;
  readonly reason: string;
}

export interface SettingsRead {
  readonly ok: true;
  /** Valid and whole. */
  readonly config: RunConfig;
  /** What something else stands in for, one sentence each. */
  readonly replaced: readonly string[];
  readonly ignored: readonly Ignored[];
  /** The settings that were stated; all others are those of the task and preset. */
  readonly given: ReadonlySet<FieldKey>;
}

export interface SettingsRefused {
  readonly ok: false;
  /** Each names the line where it is known, the path, the value found and the rule. */
  readonly errors: readonly string[];
}

export type SettingsResult = SettingsRead | SettingsRefused;

/** One line for each thing that a reader should know of. */
export function notesOf({ replaced, ignored }: Pick<SettingsRead, 'replaced' | 'ignored'>): string[] {
  const shown = (value: unknown): string => {
    const text = JSON.stringify(value) ?? String(value);
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
  };
  return [
    ...replaced.map((sentence) => `Replaced. ${sentence}`),
    ...ignored.map(({ path, value, reason }) => `Ignored ${path} (${shown(value)}): ${reason}.`),
  ];
}
