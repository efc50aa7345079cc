/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Input that a program can't use: it says why in one line and ends with exit code 2. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}
