/** Drawing again until a problem has what it needs. */
import { drawsFor, type Draw } from '@rl-playground/base/random';

/** The first result of a few attempts that is not null; null where all are. */
export function firstOf<Result>(attempts: number, attempt: () => Result | null): Result | null {
  for (let i = 0; i < attempts; i++) {
    const result = attempt();
    if (result !== null) return result;
  }
  return null;
}

/** Like `firstOf`. Throws an error with this message where all attempts fail. */
export function needed<Result>(attempts: number, message: string, attempt: () => Result | null): Result {
  const result = firstOf(attempts, attempt);
  if (result === null) throw new Error(message);
  return result;
}

const TRIED_STREAMS = 4;

/** Whether at least one of a few streams lacks what `find` looks for, which can't be relied on then. */
export function isRare(find: (draw: Draw) => unknown): boolean {
  return Array.from({ length: TRIED_STREAMS }, (_, stream) => stream).some(
    (stream) => find(drawsFor(stream)) === null,
  );
}
