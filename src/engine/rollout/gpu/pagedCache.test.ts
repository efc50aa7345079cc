/** The pages of a cache over whole batches of random lengths: whose they are, and that every batch comes to its end. */
import { expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { pagesOf } from '../../kernels/decode/index.ts';
import { parseModelConfig } from '../../model/config.ts';
import { ContinuousBatch, type Row } from '../decoding/continuousBatching.ts';
import type { GroupRequest } from '../decoding/types.ts';
import { cacheShape, PagedCache, pagesIn, rowsIn, tableEntries, type CacheShape } from './pagedCache.ts';

const STOP = 1;
const ROUND = 8;

const requestOf = (length: number, samples: number, problem = 0): GroupRequest => ({
  promptIds: Array.from({ length }, () => 0),
  samples,
  seed: 0,
  step: 0,
  problem,
});

/** Pages that the table gives to what is active, each once. */
function checkPages(
  cache: PagedCache,
  rows: ReadonlyMap<Row, number>,
  shape: CacheShape,
  table: Uint32Array,
): void {
  const found: number[] = [];
  const places = new Set<number>();
  for (const [row, tokens] of rows) {
    const own = cache.ownEntry(row.slot);
    found.push(...table.subarray(own, own + pagesOf(Math.max(tokens - 1, 0))));
    if (places.has(row.place)) continue;
    places.add(row.place);
    const prompt = cache.promptEntry(row.place);
    found.push(...table.subarray(prompt, prompt + pagesOf(row.request.promptIds.length)));
  }
  expect(new Set(found).size).toBe(found.length);
  expect(Math.max(...found)).toBeLessThan(shape.pages);
}

test('whatever the lengths and the pages, no two share one and every batch ends', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const draw = drawsFor(seed);
  const below = (count: number): number => Math.floor(count * draw());
  for (let batch = 0; batch < 60; batch++) {
    const maxTokens = 1 + below(90);
    const requests = Array.from({ length: 1 + below(12) }, (_, i) =>
      requestOf(1 + below(70), 1 + below(9), i),
    );
    const shape = cacheShape(requests, maxTokens, below(60));
    const cache = new PagedCache(shape);
    const schedule = new ContinuousBatch(requests, maxTokens, new Set([STOP]), shape.slots);
    const tokens = new Map<Row, number>();
    let table = new Uint32Array(tableEntries(shape));
    let waited = 0;
    for (;;) {
      const { rows } = schedule.admit((row) => cache.enter(row));
      for (const row of rows) tokens.set(row, 0);
      if (tokens.size === 0) break;
      const before = [...tokens.values()].reduce((sum, count) => sum + count, 0);
      for (const [row, done] of tokens) {
        const wanted = Math.min(maxTokens, Math.max(done, 1) + ROUND);
        const to = Math.min(wanted, cache.extend(row, wanted - 1) + 1);
        if (to < wanted) waited++;
        tokens.set(row, to);
      }
      const news = cache.news();
      if (news) table = news.slice();
      checkPages(cache, tokens, shape, table);
      const after = [...tokens.values()].reduce((sum, count) => sum + count, 0);
      expect(after, `seed ${seed}, batch ${batch}`).toBeGreaterThan(before);
      for (const [row, to] of tokens) {
        while (row.stopReason === null && row.tokens.length < to)
          schedule.append(row, draw() < 0.02 ? STOP : 0, 0);
        if (row.stopReason === null) continue;
        tokens.delete(row);
        cache.leave(row);
      }
    }
    expect(schedule.progress.finished, `seed ${seed}, ${waited} waited`).toBe(schedule.total);
  }
});

test('a row that entered first is never left waiting, and others wait before they take what it may need', () => {
  const requests = [requestOf(16, 3)];
  const shape = cacheShape(requests, 49, 5);
  expect(shape).toEqual({ slots: 3, places: 1, pages: 5, promptPages: 1, ownPages: 3 });
  const cache = new PagedCache(shape);
  const schedule = new ContinuousBatch(requests, 49, new Set(), 3);
  const [first, second] = schedule.admit((row) => cache.enter(row)).rows as [Row, Row];
  expect(schedule.active.size).toBe(2);
  expect(cache.extend(first, 8)).toBe(16);
  expect(cache.extend(second, 40)).toBe(16);
  expect(cache.extend(first, 48)).toBe(48);
  expect(cache.extend(second, 40)).toBe(16);
  cache.leave(first);
  expect(cache.extend(second, 48)).toBe(48);
});

test('pages are counted for all layers together and for one binding', () => {
  const config = parseModelConfig({
    model_type: 'llama',
    num_hidden_layers: 3,
    intermediate_size: 8,
    vocab_size: 8,
    hidden_size: 16,
    num_attention_heads: 2,
    num_key_value_heads: 1,
  });
  // 16 keys and 16 values of 8 floats.
  expect(pagesIn(config, 'f32', 3 * 1024 * 10 + 5, 2 ** 30)).toBe(10);
  expect(pagesIn(config, 'f32', 2 ** 30, 7 * 1024)).toBe(7);
  expect(pagesIn(config, 'f16', 2 ** 30, 7 * 1024)).toBe(14);
  const rows = (vocabSize: number) => rowsIn({ ...config, vocabSize }, 2 ** 27);
  // 128 rows of Gemma 3's vocabulary are 128 MiB of logits.
  expect([8, 262_144, 262_145, 10 ** 9].map(rows)).toEqual([128, 128, 127, 1]);
});

test('one completion has room in any cache; prompts that are shared are counted once', () => {
  expect(cacheShape([requestOf(33, 4)], 20, 0)).toMatchObject({ slots: 2, pages: 5 });
  expect(cacheShape([requestOf(33, 4), requestOf(1, 2)], 20, 1000)).toEqual({
    slots: 6,
    places: 2,
    pages: 3 + 1 + 6 * 2,
    promptPages: 3,
    ownPages: 2,
  });
  expect(cacheShape([requestOf(3, 4)], 1, 0)).toMatchObject({ slots: 4, pages: 1, ownPages: 0 });
  expect(cacheShape([], 4, 10)).toMatchObject({ slots: 1, places: 1 });
  expect(cacheShape([requestOf(33, 40)], 20, 1000, 7)).toMatchObject({ slots: 7, pages: 3 + 7 * 2 });
});
