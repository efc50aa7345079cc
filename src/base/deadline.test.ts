import { expect, test } from 'vitest';
import { heldAlarms } from './testing/heldAlarms.ts';
import { DEADLINE, SilenceWatch } from './deadline.ts';

function watched() {
  const alarms = heldAlarms();
  const rung: number[] = [];
  const watch = new SilenceWatch(DEADLINE, (allowed) => rung.push(allowed), alarms);
  return { alarms, rung, watch };
}

test('rings after 180 s of silence before a first round has ended, and once', () => {
  const { alarms, rung, watch } = watched();
  watch.begin();
  alarms.pass(100_000);
  watch.begin();
  alarms.pass(79_999);
  expect(rung).toEqual([]);
  alarms.pass(1);
  alarms.pass(1_000_000);
  expect(rung).toEqual([180_000]);
});

test('whatever is heard begins the silence anew, without counting as a round', () => {
  const { alarms, rung, watch } = watched();
  watch.begin();
  for (let said = 0; said < 5; said++) {
    alarms.pass(179_000);
    watch.heard();
  }
  expect(rung).toEqual([]);
  alarms.pass(180_000);
  expect(rung).toEqual([180_000]);
});

test('after a round it is 20 s and 20 times that round', () => {
  const { alarms, rung, watch } = watched();
  watch.begin();
  alarms.pass(50_000);
  watch.roundEnded();
  alarms.pass(500);
  watch.heard();
  alarms.pass(500);
  watch.roundEnded();
  alarms.pass(39_999);
  expect(rung).toEqual([]);
  alarms.pass(1);
  expect(rung).toEqual([40_000]);
});

test('where nobody is waited for, nothing rings, and the time counts for no round', () => {
  const { alarms, rung, watch } = watched();
  watch.heard();
  watch.begin();
  alarms.pass(1000);
  watch.roundEnded();
  watch.end();
  alarms.pass(1_000_000);
  watch.begin();
  alarms.pass(2000);
  watch.roundEnded();
  alarms.pass(59_999);
  expect(rung).toEqual([]);
  alarms.pass(1);
  expect(rung).toEqual([60_000]);
});

test('another in the same place has 180 s for its first round', () => {
  const { alarms, rung, watch } = watched();
  watch.begin();
  watch.roundEnded();
  watch.restart();
  watch.begin();
  alarms.pass(179_999);
  expect(rung).toEqual([]);
  alarms.pass(1);
  expect(rung).toEqual([180_000]);
});

test('a page that stood still hears what was said meanwhile before it takes anybody for silent', () => {
  const set: (() => void)[] = [];
  let now = 0;
  let silent = false;
  const watch = new SilenceWatch(DEADLINE, () => (silent = true), {
    now: () => now,
    after: (_milliseconds, ring) => {
      set.push(ring);
      return () => undefined;
    },
  });
  watch.begin();
  now = 1_000_000;
  set.shift()?.();
  expect(silent).toBe(false);
});
