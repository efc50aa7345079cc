/** The pages of a cache over whole batches of random lengths: whose they are, and that every batch comes to its end. */
import { expect, test } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { PAGE_POSITIONS } from '../../kernels/decode/index.ts';
import { parseModelConfig } from '../../model/config.ts';
import { ContinuousBatch, type PromptEntry, type Row } from '../decoding/continuousBatching.ts';
import type { GroupRequest } from '../decoding/types.ts';
import { PREFILL_ROWS, ROUND_TOKENS } from './sizes.ts';
import type { CacheKind } from './cacheKinds.ts';
import {
  cacheRoom,
  cacheShape,
  grownPages,
  rowsIn,
  tableEntries,
  type CacheRoom,
  type CacheShape,
} from './cacheShape.ts';
import { PagedCache } from './pagedCache.ts';

const STOP = 1;
const ALL: CacheKind = { window: null, layers: 1 };

const roomOf = (pages: number, kinds: readonly CacheKind[] = [ALL]): CacheRoom => ({
  kinds,
  pages,
  pagesOfLayer: Infinity,
});

const requestOf = (length: number, samples: number, problem = 0): GroupRequest => ({
  promptIds: Array.from({ length }, () => 0),
  samples,
  seed: 0,
  step: 0,
  problem,
});

/** Cells of keys, which say whose key they hold: the memory that a GPU has, and does what it is told in this order. */
class Memory {
  readonly #cells: readonly Int32Array[];
  readonly #tables: Uint32Array[];

  constructor(shape: CacheShape) {
    this.#cells = shape.pages.map((pages) => new Int32Array(pages * PAGE_POSITIONS).fill(-1));
    this.#tables = shape.kinds.map(() => new Uint32Array(tableEntries(shape)));
  }

  takeTables(cache: PagedCache): void {
    cache.news().forEach((table, kind) => {
      if (table) this.#tables[kind] = table.slice();
    });
  }

  #cellOf(kind: number, entry: number, position: number): number {
    const page = this.#tables[kind]?.[entry + Math.floor(position / PAGE_POSITIONS)] ?? NaN;
    return page * PAGE_POSITIONS + (position % PAGE_POSITIONS);
  }

  write(entry: number, position: number, sequence: number): void {
    this.#cells.forEach((cells, kind) => {
      cells[this.#cellOf(kind, entry, position)] = sequence * 1024 + position;
    });
  }

  /** The number of positions from `first` up to `end` − 1 whose keys are gone or another sequence's. */
  missing(kind: number, entry: number, [first, end]: readonly [number, number], sequence: number): number {
    let missing = 0;
    for (let position = Math.max(0, first); position < end; position++) {
      const cell = this.#cells[kind]?.[this.#cellOf(kind, entry, position)];
      if (cell !== sequence * 1024 + position) missing++;
    }
    return missing;
  }
}

/** Decodes requests in a cache. Returns how many keys were missing where a query looked for them, and how often a row waited. */
function decodeIn(
  cache: PagedCache,
  shape: CacheShape,
  { requests, maxTokens, draw }: { requests: GroupRequest[]; maxTokens: number; draw: () => number },
): { missing: number; waited: number; finished: number } {
  const memory = new Memory(shape);
  const schedule = new ContinuousBatch(requests, maxTokens, new Set([STOP]), shape.slots);
  const tokens = new Map<Row, number>();
  let missing = 0;
  let waited = 0;
  const look = (
    entry: number,
    [first, end]: readonly [number, number],
    sequence: number,
    own: number,
  ): void =>
    shape.kinds.forEach(({ window }, kind) => {
      const from = Math.max(first, end + own - (window ?? Infinity));
      missing += memory.missing(kind, entry, [from, end], sequence);
    });
  /** A row's own sequence, and that of its prompt. */
  const ownOf = ({ group, sample }: Row): number => 100 + group * 16 + sample;

  const prefill = (prompts: readonly PromptEntry[]): void => {
    const all = prompts.flatMap(({ place, request: { promptIds, problem } }) =>
      promptIds.map((_, position) => ({ place, problem, position })),
    );
    for (let first = 0; first < all.length; first += PREFILL_ROWS) {
      const part = all.slice(first, first + PREFILL_ROWS);
      const spans = [...new Set(part.map(({ place }) => place))].map((place) => {
        const positions = part.filter((row) => row.place === place).map(({ position }) => position);
        return { place, from: Math.min(...positions), end: Math.max(...positions) + 1 };
      });
      for (const { place, from, end } of spans) cache.prefill(place, from, end);
      memory.takeTables(cache);
      for (const { place, problem, position } of part)
        memory.write(cache.promptEntry(place), position, problem);
      for (const { place, problem, position } of part)
        look(cache.promptEntry(place), [0, position + 1], problem, 0);
      for (const { place, end } of spans) cache.prefill(place, end, end);
    }
  };

  for (;;) {
    const { rows, prompts } = schedule.admit((row) => cache.enter(row));
    for (const row of rows) tokens.set(row, 0);
    if (tokens.size === 0) break;
    prefill(prompts);
    const work = [...tokens].map(([row, done]) => {
      const from = Math.max(done, 1);
      const wanted = Math.min(maxTokens, from + ROUND_TOKENS);
      const to = Math.min(wanted, cache.extend(row, from, wanted - 1) + 1);
      if (to < wanted) waited++;
      tokens.set(row, to);
      return { row, from, to };
    });
    memory.takeTables(cache);
    for (let step = 0; step < ROUND_TOKENS; step++) {
      const running = work.filter(({ from, to }) => from + step < to);
      for (const { row, from } of running)
        memory.write(cache.ownEntry(row.slot), from + step - 1, ownOf(row));
      for (const { row, from } of running) {
        const own = from + step;
        look(cache.ownEntry(row.slot), [0, own], ownOf(row), 0);
        look(cache.promptEntry(row.place), [0, row.request.promptIds.length], row.group, own);
      }
    }
    if (work.every(({ from, to }) => from === to) && rows.length === 0 && maxTokens > 1) break;
    for (const [row, to] of tokens) {
      while (row.stopReason === null && row.tokens.length < to)
        schedule.append(row, draw() < 0.02 ? STOP : 0, 0);
      if (row.stopReason === null) continue;
      tokens.delete(row);
      cache.leave(row);
    }
  }
  return { missing, waited, finished: schedule.progress.finished };
}

const KINDS: readonly (readonly CacheKind[])[] = [
  [ALL],
  [ALL, { window: 11, layers: 2 }],
  [{ window: 33, layers: 5 }, ALL],
  [
    { window: 1, layers: 1 },
    { window: 16, layers: 1 },
    { window: 48, layers: 1 },
  ],
];

test('whatever the lengths, windows and pages, each query finds the keys that it sees, and every batch ends', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const draw = drawsFor(seed);
  const below = (count: number): number => Math.floor(count * draw());
  for (let batch = 0; batch < 40; batch++) {
    const maxTokens = 1 + below(draw() < 0.2 ? 250 : 90);
    const requests = Array.from({ length: 1 + below(12) }, (_, i) =>
      requestOf(1 + below(draw() < 0.2 ? 600 : 70), 1 + below(9), i),
    );
    const kinds = KINDS[batch % KINDS.length] ?? [];
    const plenty = batch % 3 === 0;
    const shape = cacheShape(
      requests,
      maxTokens,
      roomOf(plenty ? Infinity : below(60 * kinds.length), kinds),
    );
    const cache = new PagedCache(shape);
    // A second batch in the same cache finds all pages given back.
    for (const time of ['first', 'second']) {
      const { missing, waited, finished } = decodeIn(cache, shape, { requests, maxTokens, draw });
      const rows = requests.reduce((sum, { samples }) => sum + samples, 0);
      // With room for what each row may hold at a time, none ever asks for more.
      expect({ time, seed, batch, missing, finished, waited: plenty ? waited : 0 }).toEqual({
        time,
        seed,
        batch,
        missing: 0,
        finished: rows,
        waited: 0,
      });
    }
  }
});

test('a layer with a window has the pages of its window and one more, for each prompt and each row', () => {
  const kinds = [ALL, { window: 40, layers: 5 }];
  // 40 positions are in 3 pages, or in 4 where they begin in the middle of one.
  expect(cacheShape([requestOf(500, 3)], 601, roomOf(Infinity, kinds))).toMatchObject({
    pages: [32 + 3 * 38, 4 + 3 * 4 + 16],
    passing: [0, 16],
    promptPages: 32,
    ownPages: 38,
  });
  // No page more than the positions take.
  expect(
    cacheShape([requestOf(60, 2), requestOf(65, 1), requestOf(1, 1)], 33, roomOf(Infinity, kinds)),
  ).toMatchObject({
    pages: [4 + 5 + 1 + 4 * 2, 4 + 4 + 1 + 4 * 2 + 1],
    passing: [0, 1],
  });
  // Half of 32 + 38 and of five times 4 + 4 + 16 pages is less than one row of each needs.
  expect(cacheShape([requestOf(500, 1)], 601, roomOf(95, kinds)).pages).toEqual([70, 24]);
});

test('a row that entered first is never left waiting, and others wait before they take what it may need', () => {
  const requests = [requestOf(16, 3)];
  const shape = cacheShape(requests, 49, roomOf(5));
  expect(shape).toMatchObject({ slots: 3, places: 1, pages: [5], promptPages: 1, ownPages: 3 });
  const cache = new PagedCache(shape);
  const schedule = new ContinuousBatch(requests, 49, new Set(), 3);
  const [first, second] = schedule.admit((row) => cache.enter(row)).rows as [Row, Row];
  expect(schedule.active.size).toBe(2);
  expect(cache.extend(first, 1, 8)).toBe(16);
  expect(cache.extend(second, 1, 40)).toBe(16);
  expect(cache.extend(first, 1, 48)).toBe(48);
  expect(cache.extend(second, 1, 40)).toBe(16);
  cache.leave(first);
  expect(cache.extend(second, 1, 48)).toBe(48);
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
  const most = (...given: [precision: 'f32' | 'f16', cacheBytes: number, bindingBytes: number]) =>
    cacheShape([requestOf(999, 9)], 99, cacheRoom(config, ...given)).pages;
  expect(most('f32', 3 * 1024 * 80 + 5, 2 ** 30)).toEqual([80]);
  expect(most('f32', 2 ** 30, 77 * 1024)).toEqual([77]);
  expect(most('f16', 2 ** 30, 38.5 * 1024)).toEqual([77]);
  const rows = (vocabSize: number) => rowsIn({ ...config, vocabSize }, 2 ** 27);
  // 128 rows of Gemma 3's vocabulary are 128 MiB of logits.
  expect([8, 262_144, 262_145, 10 ** 9].map(rows)).toEqual([128, 128, 127, 1]);
});

test('one completion has room in any cache; prompts that are shared are counted once', () => {
  expect(cacheShape([requestOf(33, 4)], 20, roomOf(0))).toMatchObject({ slots: 2, pages: [5] });
  expect(cacheShape([requestOf(33, 4), requestOf(1, 2)], 20, roomOf(1000))).toMatchObject({
    slots: 6,
    places: 2,
    pages: [3 + 1 + 6 * 2],
    promptPages: 3,
    ownPages: 2,
  });
  expect(cacheShape([requestOf(3, 4)], 1, roomOf(0))).toMatchObject({ slots: 4, pages: [1], ownPages: 0 });
  expect(cacheShape([], 4, roomOf(10))).toMatchObject({ slots: 1, places: 1 });
  expect(cacheShape([requestOf(33, 40)], 20, roomOf(1000), 7)).toMatchObject({
    slots: 7,
    pages: [3 + 7 * 2],
  });
});

test('buffers that are replaced get a quarter more, as far as there is room, and keep what they had', () => {
  const room = roomOf(100, [ALL, { window: 16, layers: 2 }]);
  expect(grownPages([20, 20], [8, 8], room)).toEqual([25, 25]);
  expect(grownPages([20, 8], [8, 12], room)).toEqual([25, 12]);
  // 45 + 2 · 25 are 95 pages and a quarter more are not there; 50 and 30 together are too many.
  expect(grownPages([45, 25], [8, 8], room)).toEqual([47, 26]);
  expect(grownPages([50, 8], [8, 30], room)).toEqual([50, 8]);
});
