import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Timers } from '@rl-playground/base/deadline';
import { runParts, type Part, type PartTask } from './budget.ts';
import type { WrittenRow } from './rows.ts';

/** A clock that the test moves. */
class Clock implements Timers {
  #now = 0;
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();
  now(): number {
    return this.#now;
  }
  after(milliseconds: number, ring: () => void): () => void {
    const alarm = { at: this.#now + milliseconds, ring };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }
  pass(seconds: number): void {
    this.#now += 1000 * seconds;
    for (const alarm of [...this.#alarms].filter(({ at }) => at <= this.#now)) {
      this.#alarms.delete(alarm);
      alarm.ring();
    }
  }
}

const part = (name: string, seconds: number, run: (task: PartTask) => Promise<void>): Part => ({
  name,
  purpose: '',
  seconds,
  hindrance: () => null,
  run,
});

/** A part that works until it is ended. */
const endless = (name: string, seconds: number): Part =>
  part(name, seconds, ({ signal, emit }) => {
    emit({ name: 'begun' });
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  });

/** The rows in short: time, part, and what is told. */
const told = (rows: readonly WrittenRow[]): string[] =>
  rows.map((row) => `${row.at} ${row.part} ${row.failed ?? row.skipped ?? row.note ?? row.name}`);

async function run(parts: readonly Part[], seconds: number, moves: readonly number[]): Promise<string[]> {
  const timers = new Clock();
  const rows: WrittenRow[] = [];
  const ended = runParts(parts, {
    seconds,
    timers,
    stop: new AbortController().signal,
    write: (row) => rows.push(row),
  });
  for (const move of moves) {
    timers.pass(move);
    await setImmediate();
  }
  await ended;
  return told(rows);
}

test('a part ends at its limit, and the next has what is left', async () => {
  const parts = [endless('first', 30), endless('second', 100), endless('third', 10)];
  expect(await run(parts, 100, [30, 70])).toEqual([
    '0 first begun',
    '30 first ended at its limit of 30 s',
    '30 second begun',
    '100 second ended at its limit of 70 s',
    '100 third nothing is left of the 100 s.',
  ]);
});

test('a larger budget raises the limits in proportion', async () => {
  expect(await run([endless('first', 30)], 840, [59, 1])).toEqual([
    '0 first begun',
    '60 first ended at its limit of 60 s',
  ]);
});

test('a part that fails or can not run here writes a row, and the next goes on', async () => {
  const parts = [
    part('broken', 10, () => Promise.reject(new Error('no device'))),
    { ...endless('hindered', 10), hindrance: () => 'there is no Chromium.' },
    part('whole', 10, ({ emit }) => Promise.resolve(emit({ name: 'done' }))),
  ];
  expect(await run(parts, 100, [])).toEqual([
    '0 broken no device',
    '0 hindered there is no Chromium.',
    '0 whole done',
  ]);
});

test('a part learns of what an earlier one found', async () => {
  let found = false;
  const parts = [
    part('adapter', 10, () => Promise.resolve(void (found = true))),
    {
      ...part('kernels', 10, ({ emit }) => Promise.resolve(emit({ name: 'run' }))),
      hindrance: () => (found ? null : 'no adapter'),
    },
  ];
  expect(await run(parts, 100, [])).toEqual(['0 kernels run']);
});

test('whoever ends the command ends the part, and no other begins', async () => {
  const stop = new AbortController();
  const rows: WrittenRow[] = [];
  const ended = runParts([endless('first', 30), endless('second', 30)], {
    seconds: 100,
    timers: new Clock(),
    stop: stop.signal,
    write: (row) => rows.push(row),
  });
  stop.abort();
  await ended;
  expect(told(rows)).toEqual(['0 first begun']);
});
