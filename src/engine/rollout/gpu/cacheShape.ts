/** The pages of a batch's keys and values: how many there are, for layers of each kind. */
import { pageBytes, pagesOf, type CachePrecision } from '../../kernels/decode/pages.ts';
import { MAX_SLOTS } from '../../kernels/decode/rows.ts';
import type { ModelConfig } from '../../model/config.ts';
import type { GroupRequest } from '../decoding/types.ts';
import { cacheKinds, pagesKept, type CacheKind } from './cacheKinds.ts';
import { logitsWidth, PREFILL_ROWS } from './sizes.ts';

/** The room for keys and values. */
export interface CacheRoom {
  readonly kinds: readonly CacheKind[];
  /** The pages that have room in memory, those of all layers together. */
  readonly pages: number;
  /** The pages of a layer that have room in one binding. */
  readonly pagesOfLayer: number;
}

export function cacheRoom(
  config: ModelConfig,
  precision: CachePrecision,
  cacheBytes: number,
  bindingBytes: number,
): CacheRoom {
  const { kinds } = cacheKinds(config);
  const [pages, pagesOfLayer] = [cacheBytes, bindingBytes].map((bytes) =>
    Math.floor(bytes / pageBytes(config, precision)),
  ) as [number, number];
  return { kinds, pages, pagesOfLayer };
}

const pagesTogether = (kinds: readonly CacheKind[], pages: readonly number[]): number =>
  kinds.reduce((sum, { layers }, kind) => sum + layers * (pages[kind] ?? 0), 0);

/** Cuts the wanted pages of each kind, by the same share, to those that there is room for. */
function fitted(wanted: readonly number[], { kinds, pages, pagesOfLayer }: CacheRoom): number[] {
  const all = pagesTogether(kinds, wanted);
  return wanted.map((count) =>
    Math.min(pagesOfLayer, all > pages ? Math.floor((count * pages) / all) : count),
  );
}

/** The pages of buffers that replace smaller ones: with room to grow a little more, where there is some. */
export function grownPages(
  needed: readonly number[],
  old: readonly number[],
  room: CacheRoom,
): readonly number[] {
  const larger = fitted(
    needed.map((count) => Math.ceil(1.25 * count)),
    room,
  );
  const grown = needed.map((count, kind) => Math.max(count, larger[kind] ?? 0, old[kind] ?? 0));
  return pagesTogether(room.kinds, grown) <= room.pages ? grown : needed;
}

export interface CacheShape {
  readonly slots: number;
  readonly places: number;
  readonly kinds: readonly CacheKind[];
  /** The pages of a layer of each kind. */
  readonly pages: readonly number[];
  /** Those among them that only a prefill uses, for positions of a part that leave the window with it. */
  readonly passing: readonly number[];
  /** The most pages that the positions of a prompt and of a row's own tokens take, whether or not they are kept. */
  readonly promptPages: number;
  readonly ownPages: number;
}

/**
 * The largest cache that requests need: as many rows at a time as possible, and all the pages that they can come to need, or those that
 * there is room for. It has at least the pages of one prompt and row. `mostRows` is `rowsIn`.
 */
export function cacheShape(
  requests: readonly GroupRequest[],
  maxTokens: number,
  room: CacheRoom,
  mostRows = MAX_SLOTS,
): CacheShape {
  const { kinds } = room;
  const prompts = requests.map(({ promptIds }) => pagesOf(promptIds.length)).sort((a, b) => b - a);
  const [promptPages = 1] = prompts;
  // The last token's key is never written.
  const ownPages = pagesOf(maxTokens - 1);
  const rows = Math.min(
    mostRows,
    requests.reduce((sum, { samples }) => sum + samples, 0),
  );
  const atOnce = prompts.slice(0, rows);
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  const passing = kinds.map((kind) =>
    Math.min(pagesOf(PREFILL_ROWS), sum(atOnce.map((count) => count - pagesKept(kind, count)))),
  );
  const needs = (counts: readonly number[], ownRows: number): number[] =>
    kinds.map(
      (kind, i) =>
        sum(counts.map((count) => pagesKept(kind, count))) +
        ownRows * pagesKept(kind, ownPages) +
        (passing[i] ?? 0),
    );
  const least = needs([promptPages], 1);
  const pages = fitted(needs(atOnce, rows), room).map((count, kind) => Math.max(least[kind] ?? 0, count));
  // A row begins with one page of its own.
  const others = needs([promptPages], 0);
  const begun = Math.min(...pages.map((count, kind) => count - (others[kind] ?? 0)));
  const slots = Math.max(1, ownPages > 0 ? Math.min(rows, begun) : rows);
  const places = Math.max(1, Math.min(slots, requests.length));
  return { slots, places, kinds, pages, passing, promptPages, ownPages };
}

/** The number of rows whose logits are in one binding: a vocabulary above 262,144 leaves room for fewer than all slots in 128 MiB. */
export const rowsIn = (config: ModelConfig, bindingBytes: number): number =>
  Math.max(1, Math.min(MAX_SLOTS, Math.floor(bindingBytes / (4 * logitsWidth(config)))));

export const tableEntries = ({ slots, places, promptPages, ownPages }: CacheShape): number =>
  places * promptPages + slots * ownPages;
