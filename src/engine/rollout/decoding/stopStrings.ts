/**
 * Finds stop strings while tokens come in, by an automaton over the bytes of the text so far (Aho and Corasick 1975). It takes one step
 * per byte, so that a stop string is seen across token borders and after any false start without looking back.
 */
import { bytesOfToken } from '../../hub/tokenBytes.ts';
import type { TokenBytes } from '../../hub/types.ts';

const BYTES = 256;

/** The state of a text that has not begun. */
export const FRESH_TEXT = 0;
/** The state of a text that holds a stop string. */
export const STOPPED = -1;

interface Automaton {
  /** The state after each byte: [states, 256]. */
  readonly next: Int32Array;
}

function automatonOf(stops: readonly Uint8Array[]): Automaton {
  const most = stops.reduce((sum, { length }) => sum + length, 1);
  const next = new Int32Array(most * BYTES);
  const ends = new Uint8Array(most);
  let states = 1;
  for (const stop of stops) {
    let state = 0;
    for (const byte of stop) state = next[state * BYTES + byte] ||= states++;
    ends[state] = 1;
  }
  // Breadth first: where a state has no way on, it takes that of the longest ending of its text that is a state too.
  const fallback = new Int32Array(states);
  const queue: number[] = [0];
  for (let state = queue.shift(); state !== undefined; state = queue.shift()) {
    const back = fallback[state] ?? 0;
    ends[state] ||= ends[back] ?? 0;
    for (let byte = 0; byte < BYTES; byte++) {
      const at = state * BYTES + byte;
      const target = next[at] ?? 0;
      const otherwise = state === 0 ? 0 : (next[back * BYTES + byte] ?? 0);
      if (target === 0) {
        next[at] = otherwise;
      } else {
        fallback[target] = otherwise;
        queue.push(target);
      }
    }
  }
  return { next: next.map((target) => (ends[target] ? STOPPED : target)) };
}

export class StopMatcher {
  readonly #automaton: Automaton;
  readonly #table: TokenBytes;

  /** @throws Error if a stop string is empty. */
  constructor(stops: readonly string[], table: TokenBytes) {
    if (stops.includes('')) throw new Error('A stop string is empty; at least 1 character is needed.');
    const utf8 = new TextEncoder();
    this.#automaton = automatonOf(stops.map((stop) => utf8.encode(stop)));
    this.#table = table;
  }

  /** The state of a text after one more token; `STOPPED` if a stop string ended in it. Begin with `FRESH_TEXT`. */
  after(state: number, token: number): number {
    const { next } = this.#automaton;
    let now = state;
    for (const byte of bytesOfToken(this.#table, token)) {
      if (now === STOPPED) break;
      now = next[now * BYTES + byte] ?? 0;
    }
    return now;
  }
}

/**
 * Makes the matcher for the stop strings of a request, or null if it has none.
 *
 * @throws Error if the generator was started without the bytes of its tokens.
 */
export function stopMatcherOf(
  tokenBytes: TokenBytes | undefined,
  stops: readonly string[],
): StopMatcher | null {
  if (stops.length === 0) return null;
  if (!tokenBytes)
    throw new Error('Stop strings need the bytes of the tokens, which this generator was not given.');
  return new StopMatcher(stops, tokenBytes);
}
