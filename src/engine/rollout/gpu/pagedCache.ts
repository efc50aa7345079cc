/**
 * Which pages of the cache a batch's prompts and rows have. A row is given pages as its tokens come, so that rows which end early
 * leave room to others. A row that is given none waits, with what it has; the one that entered first never does, for as many pages
 * as it may still need stay free for it. So a batch always comes to its end, and nothing is computed twice.
 */
import {
  MAX_SLOTS,
  pageBytes,
  pagesOf,
  PAGE_POSITIONS,
  type CachePrecision,
} from '../../kernels/decode/index.ts';
import type { ModelConfig } from '../../model/config.ts';
import type { Row } from '../decoding/continuousBatching.ts';
import type { GroupRequest } from '../decoding/types.ts';

export interface CacheShape {
  readonly slots: number;
  readonly places: number;
  /** Pages of all. */
  readonly pages: number;
  /** Pages that a prompt and a row's own tokens take at most. */
  readonly promptPages: number;
  readonly ownPages: number;
}

/**
 * What requests take at most: as many rows at a time as there may be, and all the pages that they can come to need, or as many as
 * `mostPages`, but those of one prompt and row at least.
 */
export function cacheShape(
  requests: readonly GroupRequest[],
  maxTokens: number,
  mostPages: number,
): CacheShape {
  const prompts = requests.map(({ promptIds }) => pagesOf(promptIds.length)).sort((a, b) => b - a);
  const [promptPages = 1] = prompts;
  // The last token's key is never written.
  const ownPages = pagesOf(maxTokens - 1);
  const rows = Math.min(
    MAX_SLOTS,
    requests.reduce((sum, { samples }) => sum + samples, 0),
  );
  const atOnce = prompts.slice(0, rows).reduce((sum, count) => sum + count, 0);
  const pages = Math.max(promptPages + ownPages, Math.min(mostPages, atOnce + rows * ownPages));
  const slots = Math.max(1, ownPages > 0 ? Math.min(rows, pages - promptPages) : rows);
  return { slots, places: Math.max(1, Math.min(slots, requests.length)), pages, promptPages, ownPages };
}

/** Pages of all layers in so many bytes, each layer's in one binding. */
export function pagesIn(
  config: ModelConfig,
  precision: CachePrecision,
  cacheBytes: number,
  bindingBytes: number,
): number {
  return Math.floor(Math.min(cacheBytes / config.layers, bindingBytes) / pageBytes(config, precision));
}

/** Entries of the table of pages. */
export const tableEntries = ({ slots, places, promptPages, ownPages }: CacheShape): number =>
  places * promptPages + slots * ownPages;

export class PagedCache {
  readonly #shape: CacheShape;
  readonly #table: Uint32Array<ArrayBuffer>;
  readonly #free: number[];
  /** In order of entry. */
  readonly #rows = new Map<Row, number[]>();
  /** By place: a prompt's pages, and how many of its rows have not ended. */
  readonly #prompts = new Map<number, { readonly pages: readonly number[]; rows: number }>();
  #changed = false;

  /** There must be pages for a prompt and a row of the longest. */
  constructor(shape: CacheShape) {
    this.#shape = shape;
    this.#table = new Uint32Array(tableEntries(shape));
    this.#free = Array.from({ length: shape.pages }, (_, i) => shape.pages - 1 - i);
  }

  /** Where the table has the pages of the prompt in a place, and those of a slot. */
  promptEntry(place: number): number {
    return place * this.#shape.promptPages;
  }

  ownEntry(slot: number): number {
    return this.#shape.places * this.#shape.promptPages + slot * this.#shape.ownPages;
  }

  /** The table where it has changed since it was last asked for. */
  news(): Uint32Array<ArrayBuffer> | null {
    const changed = this.#changed;
    this.#changed = false;
    return changed ? this.#table : null;
  }

  /** Whether so many pages can be had without touching those of the row that entered first. */
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

  /** Takes pages for the prompt of a row that is to enter, if it has none yet, and its own first; false where they are not to be had. */
  enter(row: Row): boolean {
    const { request, place, slot } = row;
    const known = this.#prompts.get(place);
    const ofPrompt = known ? 0 : pagesOf(request.promptIds.length);
    const own = Math.min(1, this.#shape.ownPages);
    // The row that enters first is the one that pages are kept for.
    if (!this.#spare(ofPrompt + (this.#rows.size > 0 ? own : 0))) return false;
    if (!known) {
      const pages = this.#take(ofPrompt, this.promptEntry(place));
      this.#prompts.set(place, { pages, rows: request.samples });
    }
    this.#rows.set(row, this.#take(own, this.ownEntry(slot)));
    return true;
  }

  /** Gives a row pages for so many keys of its own, as far as they are to be had; returns for how many it has room. */
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

  /** Takes back the pages of a row that has ended, and those of its prompt with the last one of its group. */
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
