import { expect, it } from 'vitest';
import { movedCursor, type Cursor } from './cursor.ts';

/** Answers 4, 7 and 5 of a step, with 3, 1 and 0 tokens. */
const LENGTHS: Readonly<Record<number, number>> = { 4: 3, 7: 1, 5: 0 };
const grid = { places: [4, 7, 5], lengthOf: (place: number) => LENGTHS[place] ?? NaN };
const after = (key: string, from: Cursor) => movedCursor(key, from, grid);

it.each([
  ['ArrowRight', { place: 4, token: 1 }, { place: 4, token: 2 }],
  ['ArrowRight', { place: 4, token: 2 }, { place: 4, token: 2 }],
  ['ArrowLeft', { place: 4, token: 0 }, { place: 4, token: 0 }],
  ['Home', { place: 4, token: 2 }, { place: 4, token: 0 }],
  ['End', { place: 4, token: 0 }, { place: 4, token: 2 }],
  ['ArrowDown', { place: 4, token: 2 }, { place: 7, token: 0 }],
  ['ArrowDown', { place: 7, token: 0 }, { place: 5, token: 0 }],
  ['ArrowDown', { place: 5, token: 0 }, { place: 5, token: 0 }],
  ['ArrowUp', { place: 7, token: 0, pointed: true }, { place: 4, token: 0 }],
  ['ArrowUp', { place: 4, token: 1 }, { place: 4, token: 1 }],
] as const)('%s leads on', (key, from, to) => expect(after(key, from)).toEqual(to));

it('leaves other keys to the page', () => expect(after('a', { place: 4, token: 0 })).toBeNull());
