import { describe, expect, it } from 'vitest';
import { closestName, editDistance } from './suggest.ts';

describe('editDistance', () => {
  // Counted by hand.
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', '', 3],
    ['same', 'same', 0],
    ['lost', 'last', 1],
    ['cut', 'cuts', 1],
    ['form', 'from', 1],
    ['kitten', 'sitting', 3],
    // A swap is not edited again: c↔a, then b between them, would be 2.
    ['ca', 'abc', 3],
  ])('%j → %j', (a, b, edits) => {
    expect(editDistance(a, b)).toBe(edits);
    expect(editDistance(b, a)).toBe(edits);
  });
});

describe('closestName', () => {
  const names = ['temperature', 'top_p', 'group_size', 'seed', 'num_steps'];
  it.each([
    ['temprature', 'temperature'],
    ['Temperature', 'temperature'],
    ['GroupSize', 'group_size'],
    ['group-sizes', 'group_size'],
    ['sede', 'seed'],
    ['nmu_steps', 'num_steps'],
    ['nmu_stp', null],
    ['tempe', 'temperature'],
    ['groSi', 'group_size'],
    ['grow_size', 'group_size'],
    ['gr_si_ze', null],
    ['t_p', null],
    ['colour', null],
    ['', null],
    ['x', null],
    ['temperature'.repeat(9), null],
  ])('%j → %j', (name, closest) => {
    expect(closestName(name, names)).toBe(closest);
  });
});
