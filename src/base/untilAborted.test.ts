import { expect, test } from 'vitest';
import { untilAborted } from './untilAborted.ts';

test('is as the work, unless the signal is aborted before it ends', async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(3), signal)).toBe(3);
  expect(await untilAborted(Promise.resolve(4), undefined)).toBe(4);
  await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');

  const stop = new AbortController();
  const waiting = untilAborted(new Promise(() => undefined), stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await expect(untilAborted(new Promise(() => undefined), stop.signal)).rejects.toThrow('enough');
});

test('what the work throws after that is nobody’s error', async () => {
  const stop = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const waiting = untilAborted(new Promise((_, reject) => (fail = reject)), stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  fail(new Error('too late'));
});
