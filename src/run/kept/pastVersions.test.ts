import { expect, test } from 'vitest';
import { versionsThatStay } from './pastWeightFiles.ts';

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, version) => version);

test('a short run keeps all', () => {
  expect(versionsThatStay(upTo(50), new Set())).toEqual(upTo(50));
});

test('a long one keeps its newest, what was evaluated, and every n-th before', () => {
  const stay = versionsThatStay(upTo(900), new Set([0, 25, 875]));
  const former = stay.filter((version) => version <= 850);
  expect(former.filter((version) => version % 32 !== 0)).toEqual([25]);
  expect(former.filter((version) => version % 32 === 0)).toEqual(upTo(26).map((i) => 32 * i));
  expect(stay.filter((version) => version > 850)).toEqual(upTo(900).slice(851));
});

test('as it grows step by step it loses none that stays later, and never keeps more than a hundred beside the evaluated', () => {
  const evaluated = new Set(upTo(40).map((i) => 25 * i));
  let kept: number[] = [];
  for (const version of upTo(1000)) {
    kept = versionsThatStay([...kept, version], evaluated);
    expect(kept.filter((each) => !evaluated.has(each)).length).toBeLessThanOrEqual(101);
  }
  expect(kept).toEqual(versionsThatStay(upTo(1000), evaluated));
});
