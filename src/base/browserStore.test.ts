import { afterEach, expect, it, vi } from 'vitest';
import { heldAlarms } from './testing/heldAlarms.ts';
import { browserStore } from './browserStore.ts';

afterEach(() => vi.unstubAllGlobals());

it('can be made where there is no browser, and rejects there', async () => {
  const store = browserStore('database', 'store');
  await expect(store.get('a')).rejects.toThrow('indexedDB');
  await expect(store.values()).rejects.toThrow('indexedDB');
  await expect(store.set('a', 1)).rejects.toThrow('indexedDB');
  await expect(store.remove('a')).rejects.toThrow('indexedDB');
});

it('rejects where the database never says a word, as behind an upgrade that another tab blocks', async () => {
  vi.stubGlobal('indexedDB', { open: () => ({}) });
  const timers = heldAlarms();
  const store = browserStore('database', 'store', timers);
  const asked = [store.get('a'), store.values(), store.set('a', 1), store.remove('a')];
  const outcomes = Promise.allSettled(asked);
  await Promise.resolve();
  timers.pass(30_000);
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: new Error(
        'This browser’s database "database" has not answered for 30 s. Close other tabs of this page, and load it again.',
      ),
    });
});
