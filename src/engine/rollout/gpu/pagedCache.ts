/**
 * The pages of the cache that belong to a batch's prompts and rows. A row gets pages as its tokens come, so that rows which end early
 * leave room to others. A row that gets none waits and keeps what it has. The row that entered first never waits, because as many pages
 * as it may still need are kept free for it. So a batch always comes to its end, and nothing is computed twice.
 */
import {
  MAX_SLOTS,
  pageBytes,
  pagesOf,
  PAGE_POSITIONS,
  type CachePrecision,
} from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import { logitsWidth } from './linearSteps.ts';
import type { Row } from '../decoding/continuousBatching.ts';
import type { GroupRequest } from '../decoding/types.ts';

export interface CacheShape {
  readonly slots: number;
  readonly places: number;
  readonly pages: number;
  /** The most pages that a prompt and a row's own tokens take. */
  readonly promptPages: number;
  readonly ownPages: number;
}

/**
 * The largest cache that requests need: as many rows at a time as possible, and all the pages that they can come to need, or `mostPages`.
 * It has at least the pages of one prompt and row. `mostRows` is `rowsIn`.
 */
export function cacheShape(
  requests: readonly GroupRequest[],
  maxTokens: number,
  mostPages: number,
  mostRows = MAX_SLOTS,
): CacheShape {
  const prompts = requests.map(({ promptIds }) => pagesOf(promptIds.length)).sort((a, b) => b - a);
  const [promptPages = 1] = prompts;
  // The last token's key is never written.
  const ownPages = pagesOf(maxTokens - 1);
  const rows = Math.min(
    mostRows,
    requests.reduce((sum, { samples }) => sum + samples, 0),
  );
  const atOnce = prompts.slice(0, rows).reduce((sum, count) => sum + count, 0);
  const pages = Math.max(promptPages + ownPages, Math.min(mostPages, atOnce + rows * ownPages));
  const slots = Math.max(1, ownPages > 0 ? Math.min(rows, pages - promptPages) : rows);
  return { slots, places: Math.max(1, Math.min(slots, requests.length)), pages, promptPages, ownPages };
}

/** The number of pages of all layers in so many bytes, each layer's in one binding. */
export function pagesIn(
  config: ModelConfig,
  precision: CachePrecision,
  cacheBytes: number,
  bindingBytes: number,
): number {
  return Math.floor(Math.min(cacheBytes / config.layers, bindingBytes) / pageBytes(config, precision));
}

/** The number of rows whose logits are in one binding: a vocabulary above 262,144 leaves room for fewer than all slots in 128 MiB. */
export const rowsIn = (config: ModelConfig, bindingBytes: number): number =>
  Math.max(1, Math.min(MAX_SLOTS, Math.floor(bindingBytes / (4 * logitsWidth(config)))));

export const tableEntries = ({ slots, places, promptPages, ownPages }: CacheShape): number =>
  places * promptPages + slots * ownPages;

export class PagedCache {
  readonly #shape: CacheShape;
  readonly #table: Uint32Array<ArrayBuffer>;
  readonly #free: number[];
  /** The pages of each row, in order of entry. */
  readonly #rows = new Map<Row, number[]>();
  /** The pages of the prompt in each place, and how many of its rows have not ended. */
  readonly #prompts = new Map<number, { readonly pages: readonly number[]; rows: number }>();
  #changed = false;

  /** The cache must have pages for a prompt and a row of the longest. */
  constructor(shape: CacheShape) {
    this.#shape = shape;
    this.#table = new Uint32Array(tableEntries(shape));
    this.#free = Array.from({ length: shape.pages }, (_, i) => shape.pages - 1 - i);
  }

  /** The first table entry of the pages of the prompt in a place. */
  promptEntry(place: number): number {
    return place * this.#shape.promptPages;
  }

  ownEntry(slot: number): number {
    return this.#shape.places * this.#shape.promptPages + slot * this.#shape.ownPages;
  }

  /** The table if it has changed since the last call, else null. */
  news(): Uint32Array<ArrayBuffer> | null {
    const changed = this.#changed;
    this.#changed = false;
    return changed ? this.#table : null;
  }

  /** True if so many pages can be taken without those that are kept for the row that entered first. */
  #spare(count: number): boolean {
    const [first] = this.#rows.values();
    const kept = this.#shape.ownPages - (first?.length ?? 0);
    return this.#free.length - count >= kept;
  }

  #take(count: number, entry: number): number[] {
    const pages = this.#free.splice(this.#free.length - count, count);
    this.#table.set(pages, entry);
    this.#changed ||= count > 0;
    return pages;
  }

  /** Takes pages for the prompt of a row that enters, if it has none yet, and the row's own first page. Returns false if they are not available. */
  enter(row: Row): boolean {
    const { request, place, slot } = row;
    const known = this.#prompts.get(place);
    const ofPrompt = known ? 0 : pagesOf(request.promptIds.length);
    const own = Math.min(1, this.#shape.ownPages);
    // Pages are kept for the row that enters first.
    if (!this.#spare(ofPrompt + (this.#rows.size > 0 ? own : 0))) return false;
    if (!known) {
      const pages = this.#take(ofPrompt, this.promptEntry(place));
      this.#prompts.set(place, { pages, rows: request.samples });
    }
    this.#rows.set(row, this.#take(own, this.ownEntry(slot)));
    return true;
  }

  /** Gives a row pages for so many keys of its own, as far as they are available, and returns the number of keys that it has room for. */
  extend(row: Row, keys: number): number {
    const pages = this.#rows.get(row);
    if (!pages) throw new Error('A row asks for pages that has not entered.');
    const [first] = this.#rows.keys();
    while (pages.length < pagesOf(keys) && (row === first || this.#spare(1))) {
      const [page] = this.#take(1, this.ownEntry(row.slot) + pages.length);
      if (page === undefined) throw new Error('The cache of keys and values has no page left.');
      pages.push(page);
    }
    return pages.length * PAGE_POSITIONS;
  }

  /** Takes back the pages of a row that has ended, and with the last row of a group those of its prompt. */
  leave(row: Row): void {
    this.#free.push(...(this.#rows.get(row) ?? []));
    this.#rows.delete(row);
    const prompt = this.#prompts.get(row.place);
    if (!prompt) return;
    prompt.rows--;
    if (prompt.rows > 0) return;
    this.#free.push(...prompt.pages);
    this.#prompts.delete(row.place);
  }
}
