import { expect, test } from 'vitest';
import { makesRoom } from './pastWeightFiles.ts';

/** Ids say when a run began, in base 36: these in the order of their letters. */
const shelf = (run: string, versions: number[], each = 10) => ({ run, versions, each });

test('nothing goes while there is room', () => {
  const own = shelf('c-0', [1, 2]);
  expect(makesRoom(10, 60, own, [shelf('a-0', [1, 2, 3])])).toEqual({ runs: [], versions: [] });
});

test('the oldest runs go first, as many as it takes, then the first versions of the run itself', () => {
  const own = shelf('c-0', [4, 2, 3]);
  const others = [shelf('b-0', [1, 2]), shelf('a-0', [1])];
  expect(makesRoom(10, 60, own, others)).toEqual({ runs: ['a-0'], versions: [] });
  expect(makesRoom(10, 50, own, others)).toEqual({ runs: ['a-0', 'b-0'], versions: [] });
  expect(makesRoom(10, 30, own, others)).toEqual({ runs: ['a-0', 'b-0'], versions: [2] });
  expect(makesRoom(10, 15, own, others)).toEqual({ runs: ['a-0', 'b-0'], versions: [2, 3, 4] });
});

test('what is larger than all the room makes none', () => {
  expect(makesRoom(10, 9, shelf('c-0', [1]), [shelf('a-0', [1])])).toBeNull();
});
