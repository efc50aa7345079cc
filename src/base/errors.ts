/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
