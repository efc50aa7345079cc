import { expect, test } from 'vitest';
import { MachineList, MOST_MACHINES } from './machineList.ts';
import { Brake, FloodGate, OTHERS_PER_SECOND, PROVEN_PER_SECOND } from './floodGate.ts';

test.each([70, 500, 2000])(
  'of %d words a second under invented names a bounded number is looked at',
  (rate) => {
    let now = 0;
    const gate = new FloodGate(OTHERS_PER_SECOND, () => now);
    let looked = 0;
    let own = 0;
    for (let i = 0; i < 10 * rate; i++) {
      now = (1000 * i) / rate;
      if (gate.admits(`invented-${i}`, false)) looked++;
      // A machine that works for the run says each second that it is there.
      if (i % rate === rate - 1 && gate.admits('own', true)) own++;
    }
    expect(looked).toBe(10 * OTHERS_PER_SECOND);
    expect(own).toBe(10);
  },
);

test('who sends words under the name of a machine that works has some of them looked at', () => {
  const gate = new FloodGate(OTHERS_PER_SECOND, () => 0);
  const looked = Array.from({ length: 2000 }, () => gate.admits('own', true)).filter(Boolean);
  expect(looked).toHaveLength(PROVEN_PER_SECOND);
  expect(gate.admits('other', true)).toBe(true);
});

test('of what nobody wants a bounded number is read in a second, and all of it where it is less', () => {
  let now = 0;
  const brake = new Brake(100, () => now);
  expect(brake.pause(0)).toBe(0);
  now = 300;
  expect(brake.pause(99)).toBe(0);
  expect(brake.pause(100)).toBe(700);
  now = 1000;
  expect(brake.pause(100)).toBe(0);
  now = 1990;
  expect(brake.pause(199)).toBe(0);
  now = 2000;
  expect(brake.pause(298)).toBe(0);
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
