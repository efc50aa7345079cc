import { expect, it } from 'vitest';
import { browserStore } from './browserStore.ts';

it('can be made where there is no browser, and rejects there', async () => {
  const store = browserStore('database', 'store');
  await expect(store.get('a')).rejects.toThrow('indexedDB');
  await expect(store.values()).rejects.toThrow('indexedDB');
  await expect(store.set('a', 1)).rejects.toThrow('indexedDB');
  await expect(store.remove('a')).rejects.toThrow('indexedDB');
});
