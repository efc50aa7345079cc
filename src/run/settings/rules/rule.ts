/** The form of a rule between settings. */
import type { FieldKey, RunConfig } from '../schema/schema.ts';

export interface Rule {
  /** The setting to change; its name begins the message. */
  readonly field: FieldKey;
  /** The value found, the rule and what to do; null where the rule holds. */
  broken(config: RunConfig): string | Inside | null;
}

/** An error in a part of a setting. */
export interface Inside {
  /** Its place in the setting. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export const rule = (field: FieldKey, broken: Rule['broken']): Rule => ({ field, broken });

/** "1 answer", "2 answers". */
export function counted(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : thing.endsWith('batch') ? 'es' : 's'}`;
}
