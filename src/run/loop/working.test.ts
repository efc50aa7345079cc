import { expect, test } from 'vitest';
import { wrongWorking } from './working.ts';

const right = (working?: number) => ({ correct: true, ...(working !== undefined && { working }) });

test('right answers with wrong working are counted among the right ones that show any', () => {
  const samples = [right(1), right(0.5), right(0.4), right(0), right(), { correct: false, working: 0 }];
  expect(wrongWorking({ samples })).toMatchObject({ share: 2 / 4, n: 4 });
});

test('there is no share where no right answer shows working', () => {
  expect(wrongWorking({ samples: [right(), { correct: false, working: 1 }] })).toBeNull();
});
