import { expect, test } from 'vitest';
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
