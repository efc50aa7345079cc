import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Interruption } from './interruption.ts';

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue(undefined));
afterEach(() => vi.restoreAllMocks());

test('ends the program where no run goes on', () => {
  const codes: number[] = [];
  const interruption = new Interruption((code) => codes.push(code));
  interruption.take();
  expect(codes).toEqual([130]);
  expect(interruption.asked).toBe(false);
});

test('ends the run first, and the program when asked again', () => {
  const codes: number[] = [];
  const interruption = new Interruption((code) => codes.push(code));
  let stops = 0;
  interruption.runs(() => {
    stops++;
    return Promise.resolve();
  });
  interruption.take();
  expect([stops, codes, interruption.asked]).toEqual([1, [], true]);
  interruption.take();
  expect([stops, codes]).toEqual([1, [130]]);
});

test('ends the program where the run cannot be reached', async () => {
  const codes: number[] = [];
  const interruption = new Interruption((code) => codes.push(code));
  interruption.runs(() => Promise.reject(new Error('The page is gone.')));
  interruption.take();
  await vi.waitFor(() => expect(codes).toEqual([130]));
});
