/** Work is begun again, and waits end, when a server goes away, comes back or is silent. */
import { TimeoutError, type NatsConnection, type Status } from '@nats-io/nats-core';
import { expect, test, vi } from 'vitest';
import { TIDY_WITHIN } from './patience.ts';
import { Reconnects } from './reconnects.ts';

/** A connection that breaks and comes back when a test says so. */
function brokenAtWill() {
  const told: Status[] = [];
  let wake: () => void = () => undefined;
  const status = async function* (): AsyncGenerator<Status> {
    for (;;) {
      const next = told.shift();
      if (next) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  const tell = async (type: 'disconnect' | 'reconnect'): Promise<void> => {
    told.push({ type, server: 'here' });
    wake();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { reconnects: new Reconnects({ status } as Pick<NatsConnection, 'status'> as NatsConnection), tell };
}

test('work is begun again where the connection broke meanwhile, and what it was before is told', async () => {
  const { reconnects, tell } = brokenAtWill();
  const signals: AbortSignal[] = [];
  const done = reconnects.through((abandoned) => {
    signals.push(abandoned);
    return signals.length === 1 ? new Promise<string>(() => undefined) : Promise.resolve('done');
  });
  await tell('disconnect');
  expect(signals).toHaveLength(1);
  await tell('reconnect');
  expect(await done).toBe('done');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test('work to which the server says nothing is begun again, ten times at most; other failures are passed on', async () => {
  const { reconnects } = brokenAtWill();
  let times = 0;
  const silent = (until: number) => () =>
    ++times < until ? Promise.reject(new TimeoutError()) : Promise.resolve(times);
  expect(await reconnects.through(silent(10))).toBe(10);
  times = 0;
  await expect(reconnects.through(silent(11))).rejects.toThrow('again and again');
  expect(times).toBe(10);
  await expect(reconnects.through(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
});

test('what is tidied up at the end is waited for while the server is there, and its failure is none', async () => {
  const { reconnects } = brokenAtWill();
  let finish: () => void = () => undefined;
  let isOver = false;
  const tidied = reconnects
    .tidy(new Promise<void>((resolve) => (finish = resolve)))
    .then(() => (isOver = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  finish();
  await tidied;
  await reconnects.tidy(Promise.reject(new Error('gone')));
});

test('and not for long where it has gone, or goes meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    for (const goesFirst of [true, false]) {
      const { reconnects, tell } = brokenAtWill();
      if (goesFirst) await tell('disconnect');
      const tidied = reconnects.tidy(new Promise(() => undefined));
      if (!goesFirst) await tell('disconnect');
      await vi.advanceTimersByTimeAsync(TIDY_WITHIN);
      await expect(tidied).resolves.toBeUndefined();
    }
  } finally {
    vi.useRealTimers();
  }
});
