/** The machines that count as present. */
import { expect, test } from 'vitest';
import { MachineList, MOST_MACHINES } from './machineList.ts';
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

test('a machine is counted on from an answer that counts, until somebody is waited for in vain', () => {
  const list = new MachineList(() => 0);
  const word = { kind: 'machine' as const, machine: 'U1', name: 'one', computation: 'wasm', leaving: false };
  list.present(word);
  expect([list.here, list.proven]).toEqual([1, 0]);
  const answers = (): void =>
    list.credit(
      {
        kind: 'answer',
        run: 'run',
        machine: 'U1',
        chunk: 1,
        nonce: '',
        group: 0,
        version: 1,
        computation: 'wasm',
        precision: 'f32',
        seconds: 1,
        busySeconds: 1,
        completions: [{ tokens: [1], logprobs: [-1], stopReason: 'max_tokens' }],
      },
      { largest: 0, mean: 0 },
      false,
    );
  answers();
  expect(list.proven).toBe(1);
  list.doubt();
  expect([list.here, list.proven]).toEqual([1, 0]);
  // A late answer counts too.
  answers();
  expect(list.proven).toBe(1);
  list.present({ ...word, leaving: true });
  expect(list.proven).toBe(0);
});

test('the list has an end, and forgets who is gone and has added nothing', () => {
  const list = new MachineList(() => 0);
  const come = (machine: string): boolean =>
    list.present({ kind: 'machine', machine, name: machine, computation: 'wasm', leaving: false });
  for (let i = 0; i < MOST_MACHINES; i++) expect(come(`m${i}`)).toBe(true);
  expect(come('late')).toBe(false);
  expect(list.records).toHaveLength(MOST_MACHINES);
  list.drop('m0', 'its answers are wrong', false);
  for (const machine of ['m3', 'm2'])
    list.present({ kind: 'machine', machine, name: machine, computation: 'wasm', leaving: true });
  expect(come('late')).toBe(true);
  expect(list.record('m2')).toBeNull();
  expect(list.record('m3')).not.toBeNull();
  // One that was dropped is remembered for as long as there is another: it would be a new one else.
  expect(list.record('m0')?.dropped).toBe('its answers are wrong');
  expect([come('later'), come('last'), come('too late')]).toEqual([true, true, false]);
  expect(list.record('m3')).toBeNull();
  expect(list.record('m0')).toBeNull();
});
