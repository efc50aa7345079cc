/** Drawing again until a problem has what it needs. */
import { drawsFor, type Draw } from '@rl-playground/base/random';

/** The first result that is not null in so many attempts, or null. */
export function firstOf<Result>(attempts: number, attempt: () => Result | null): Result | null {
  for (let i = 0; i < attempts; i++) {
    const result = attempt();
    if (result !== null) return result;
  }
  return null;
}

/** The first result that is not null in so many attempts. @throws Error with this message if all of them fail. */
export function needed<Result>(attempts: number, message: string, attempt: () => Result | null): Result {
  const result = firstOf(attempts, attempt);
  if (result === null) throw new Error(message);
  return result;
}

const TRIED_STREAMS = 4;

/** Says whether `find` returns null for any of a few streams, so that it is not reliable. */
export function isRare(find: (draw: Draw) => unknown): boolean {
  return Array.from({ length: TRIED_STREAMS }, (_, stream) => stream).some(
    (stream) => find(drawsFor(stream)) === null,
  );
}
