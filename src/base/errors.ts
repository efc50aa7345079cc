/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Input that a program can't use: it says why in one line and ends with exit code 2. */
export class BadInput extends Error {
  override readonly name = 'BadInput';
}

/** The result of `work`. An error of it becomes BadInput, whose message `say` makes of its own. */
export function orBadInput<Result>(work: () => Result, say: (why: string) => string = (why) => why): Result {
  try {
    return work();
  } catch (error) {
    throw new BadInput(say(messageOf(error)), { cause: error });
  }
}

type ErrorKind = abstract new (...values: never[]) => Error;

/** The result of `work`, or `instead` if it throws an error of one of these kinds. */
export function unless<Result, Instead>(
  kinds: readonly ErrorKind[],
  instead: Instead,
  work: () => Result,
): Result | Instead {
  try {
    return work();
  } catch (error) {
    if (kinds.some((kind) => error instanceof kind)) return instead;
    throw error;
  }
}
