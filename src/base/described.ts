/** Describes a value that a caller passed, for an error message. */

export function described(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** @throws Error if `value` is no list: `what` begins the message, `need` ends it. */
export function checkList(value: unknown, what: string, need: string): void {
  if (!Array.isArray(value)) throw new Error(`${what} ${described(value)}; ${need}.`);
}
