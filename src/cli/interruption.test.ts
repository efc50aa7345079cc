import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Interruption } from './interruption.ts';

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue(undefined));
afterEach(() => vi.restoreAllMocks());

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the program where no run goes on, and the run first where one does', (signal, code) => {
  const codes: number[] = [];
  const before = new Interruption((ended) => codes.push(ended));
  before.take(signal);
  expect([codes, before.code]).toEqual([[code], null]);

  codes.length = 0;
  const interruption = new Interruption((ended) => codes.push(ended));
  let stops = 0;
  interruption.runs(() => {
    stops++;
    return Promise.resolve();
  });
  interruption.take(signal);
  expect([stops, codes, interruption.code]).toEqual([1, [], code]);
  interruption.take('SIGINT');
  expect([stops, codes]).toEqual([1, [130]]);
});

test('ends the program where the run cannot be reached', async () => {
  const code = await new Promise<number>((resolve) => {
    const interruption = new Interruption(resolve);
    interruption.runs(() => Promise.reject(new Error('The page is gone.')));
    interruption.take('SIGTERM');
  });
  expect(code).toBe(143);
});

test('listens to the signals of the process until it is told not to', () => {
  const count = (): number[] =>
    ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => process.listenerCount(signal));
  const before = count();
  const leave = new Interruption(() => {}).listen();
  expect(count()).toEqual(before.map((listeners) => listeners + 1));
  leave();
  expect(count()).toEqual(before);
});

test('a disk that is full behind the output is told of once, and the run goes on', () => {
  const interruption = new Interruption(() => undefined);
  const leave = interruption.listen();
  let stops = 0;
  interruption.runs(() => Promise.resolve(void stops++));
  for (let i = 0; i < 3; i++)
    process.stdout.emit('error', Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }));
  leave();
  expect(stops).toBe(0);
  expect(vi.mocked(console.error).mock.calls).toEqual([
    ["What is printed can't be written (write ENOSPC). The run goes on."],
  ]);
});

test('a reader that has left, as `head` does, ends the run as a signal would, once', () => {
  const codes: number[] = [];
  const interruption = new Interruption((ended) => codes.push(ended));
  const leave = interruption.listen();
  try {
    let stops = 0;
    interruption.runs(() => {
      stops++;
      return Promise.resolve();
    });
    // Each line that is written behind it fails anew.
    for (let i = 0; i < 3; i++)
      process.stdout.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect([stops, codes, interruption.code]).toEqual([1, [], 141]);
    // Of Ctrl-C on `train | tee` the reader hears first.
    interruption.take('SIGINT');
    expect([stops, codes, interruption.code]).toEqual([1, [], 130]);
    interruption.take('SIGINT');
    expect(codes).toEqual([130]);
  } finally {
    leave();
  }
});
