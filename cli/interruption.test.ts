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
