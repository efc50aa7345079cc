import { describe, expect, test } from 'vitest';
import { textOfTokens } from '../../hub/tokenBytes.ts';
import { tokenTable } from '../../testing/tokenTable.ts';
import { FRESH_TEXT, StopMatcher, stopMatcherOf, STOPPED } from './stopStrings.ts';

/** The number of tokens in a text of these pieces, up to the one in which a stop string ends; null if none does. */
function stopsAfter(
  stops: readonly string[],
  pieces: readonly (string | readonly number[])[],
): number | null {
  const matcher = new StopMatcher(stops, tokenTable(pieces));
  let state = FRESH_TEXT;
  for (let id = 0; id < pieces.length; id++) {
    state = matcher.after(state, id);
    if (state === STOPPED) return id + 1;
  }
  return null;
}

const TURN = '\n\nUser:';

describe('StopMatcher', () => {
  test.each([
    ['inside one token, text on both sides', [' 42', '.\n\nUser: What', ' next'], 2],
    ['one token that is the delimiter', [' 42', TURN, 'x'], 2],
    ['over two tokens', [' 42', '\n\n', 'User:', 'x'], 3],
    ['over three tokens', [' 42\n', '\nUser', ':'], 3],
    ['over four tokens', [' 42', '\n', '\n', 'User', ':', 'x'], 5],
    ['over one token for each character', [...' 4\n\nUser: x'], 9],
    ['in the very first token', ['\n\nUser: x', ' 42'], 1],
    ['with tokens of no text in between', ['\n', '', '\nUser', '', ':', 'x'], 5],
    ['a line feed too many, and again', [' 42', '\n', '\n', '\n', 'User', ':'], 6],
    ['a line feed too many in one token', ['\n\n\nUser:'], 1],
    ['a false start that holds the true one', ['\n\nUse', '\n\nUser', ':'], 3],
    ['a false start of everything but the end', ['\n\nUser', '\n\nUser', '\n', '\nUser:'], 4],
    ['one line feed only', ['\nUser:', '\n User:', '\n\nuser:', '\n\nUser :'], null],
    ['never', [' 42', '\n\n', 'User'], null],
  ] as const)('%s', (_, pieces, expected) => {
    expect(stopsAfter([TURN], pieces)).toBe(expected);
  });

  test('the first of several to end counts, also where one is inside or at the end of another', () => {
    expect(stopsAfter([TURN, '</s>'], ['a</', 's>', TURN])).toBe(2);
    expect(stopsAfter([TURN, '</s>'], ['a', TURN, '</s>'])).toBe(2);
    expect(stopsAfter(['abcd', 'bc'], ['ab', 'c', 'd'])).toBe(2);
    expect(stopsAfter(['abcd', 'cde'], ['ab', 'c', 'e', 'abc', 'd'])).toBe(5);
    expect(stopsAfter(['abab', 'bb'], ['ab', 'b'])).toBe(2);
    expect(stopsAfter(['aab', 'ac'], ['a', 'a', 'c'])).toBe(3);
  });

  test('characters that span tokens, byte by byte', () => {
    // U+3002 is E3 80 82, U+1F600 is F0 9F 98 80.
    expect(stopsAfter(['。'], ['a', [0xe3, 0x80], [0x82], 'b'])).toBe(3);
    expect(stopsAfter(['。'], ['a', [0xe3, 0x80], [0x81], [0x80, 0x82]])).toBe(null);
    expect(
      stopsAfter(['😀!'], [[0xf0, 0x9f], [0xf0, 0x9f, 0x98], [0x80], '?', [0xf0], [0x9f, 0x98, 0x80, 0x21]]),
    ).toBe(6);
    // The last byte of the stop string is the first of a token that goes on.
    expect(stopsAfter(['é'], [[0xc3], [0xa9, 0x21]])).toBe(2);
  });

  test('ids that no token has add nothing', () => {
    const matcher = new StopMatcher(['ab'], tokenTable(['a', 'b']));
    const half = matcher.after(FRESH_TEXT, 0);
    expect(matcher.after(half, 500)).toBe(half);
    expect(matcher.after(matcher.after(half, 2), 1)).toBe(STOPPED);
  });

  test('agrees with a search in the decoded text, whatever the pieces', () => {
    const letters = ['a', 'b', 'ab', 'ba', 'aab', 'é', 'bé'];
    let found = 0;
    for (let round = 0; round < 500; round++) {
      const pick = (): string => letters[Math.floor(letters.length * Math.random())] ?? 'a';
      const pieces = Array.from({ length: 12 }, pick);
      const stops = Array.from({ length: 1 + Math.floor(3 * Math.random()) }, () => pick() + pick() + pick());
      const expected = pieces.findIndex((_, i) => {
        const text = textOfTokens(
          tokenTable(pieces),
          Array.from({ length: i + 1 }, (_id, id) => id),
        );
        return stops.some((stop) => text.includes(stop));
      });
      if (expected >= 0) found++;
      expect({ pieces, stops, end: stopsAfter(stops, pieces) }).toEqual({
        pieces,
        stops,
        end: expected < 0 ? null : expected + 1,
      });
    }
    expect(found).toBeGreaterThan(50);
    expect(found).toBeLessThan(500);
  });

  test('refuses an empty stop string and stop strings without a table', () => {
    expect(() => new StopMatcher([''], tokenTable(['a']))).toThrow('at least 1 character');
    expect(() => stopMatcherOf(undefined, [TURN])).toThrow('bytes of the tokens');
    expect(stopMatcherOf(undefined, [])).toBe(null);
  });
});
