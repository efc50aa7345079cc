/** Layers by the positions that they see, and the pages of keys and values that those of a kind keep. */
import { pagesOf, PAGE_POSITIONS } from '../../kernels/decode/pages.ts';
import type { ModelConfig } from '../../model/config.ts';

/** Layers that see the same positions. They have a table of their own, and each of them as many pages. */
export interface CacheKind {
  /** The number of positions that a query sees; null for all. */
  readonly window: number | null;
  readonly layers: number;
}

/** The kinds of a model's layers, and the number of each layer's kind. */
export function cacheKinds({ attention }: Pick<ModelConfig, 'attention'>): {
  readonly kinds: readonly CacheKind[];
  readonly ofLayers: readonly number[];
} {
  const windows = [...new Set(attention.map(({ window }) => window))];
  const ofLayers = attention.map(({ window }) => windows.indexOf(window));
  const kinds = windows.map((window, kind) => ({
    window,
    layers: ofLayers.filter((other) => other === kind).length,
  }));
  return { kinds, ofLayers };
}

/**
 * The most of so many pages that a prompt or a row of its own keeps at a time. Their first positions leave the window page by page, and the
 * keys of a round lie in one page, so a window has at most one page more than its length.
 */
export const pagesKept = ({ window }: CacheKind, pages: number): number =>
  window === null ? pages : Math.min(pages, pagesOf(window) + 1);

/** The first page that holds a position before `end` in the window of the query at `end` − 1. */
export const firstPageSeen = ({ window }: CacheKind, end: number): number =>
  window === null ? 0 : Math.floor(Math.max(0, end - window) / PAGE_POSITIONS);
