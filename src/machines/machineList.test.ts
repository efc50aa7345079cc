/** Who counts as there. */
import { expect, test } from 'vitest';
import { MachineList } from './machineList.ts';
import { LOOKS_UNTIL_GONE } from './patience.ts';

test('a machine is gone that has said nothing between so many looks, however long they were apart, and here again at its next word', () => {
  let now = 0;
  const list = new MachineList(() => now);
  const word = { kind: 'machine' as const, machine: 'U1', name: 'one', computation: 'wasm', leaving: false };
  expect(list.present(word)).toBe(true);
  for (let look = 0; look < LOOKS_UNTIL_GONE; look++) {
    // The run has stood still in between.
    now += 60_000;
    expect(list.sweep()).toBe(false);
  }
  expect(list.here).toBe(1);
  expect(list.sweep()).toBe(true);
  expect(list.here).toBe(0);
  expect(list.sweep()).toBe(false);
  expect(list.present(word)).toBe(true);
  expect(list.here).toBe(1);
  expect(list.sweep()).toBe(false);
});
