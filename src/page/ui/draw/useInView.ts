/**
 * The items of a long list that are in sight, so that only those are drawn. The library's own hook returns functions whose results change
 * behind React's back; this one returns values.
 */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from '@tanstack/react-virtual';
import { useCallback, useEffect, useState } from 'react';

interface ListShape {
  readonly count: number;
  /** The pixels of an item, or a first guess where it is measured. */
  readonly size: number;
  /** The number of items drawn beside those in sight. */
  readonly overscan: number;
  readonly horizontal?: boolean;
}

interface InView {
  /** The ref of the element that scrolls. */
  readonly scroller: (element: HTMLElement | null) => void;
  /** The ref of an item that is measured, which says its number as `data-index`. */
  readonly measured: (element: HTMLElement | null) => void;
  readonly items: readonly VirtualItem[];
  readonly total: number;
}

interface Shown {
  readonly of: Virtualizer<HTMLElement, HTMLElement> | null;
  readonly items: readonly VirtualItem[];
  readonly total: number;
}

/** `at`: the item that is scrolled to when it changes, or below 0 for none. */
export function useInView({ count, size, overscan, horizontal = false }: ListShape, at = -1): InView {
  const [element, scroller] = useState<HTMLElement | null>(null);
  const [shown, setShown] = useState<Shown>({ of: null, items: [], total: 0 });
  useEffect(() => {
    if (element === null) return undefined;
    const virtualizer = new Virtualizer<HTMLElement, HTMLElement>({
      count,
      horizontal,
      overscan,
      estimateSize: () => size,
      getScrollElement: () => element,
      initialOffset: () => (horizontal ? element.scrollLeft : element.scrollTop),
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: (of) => setShown({ of, items: of.getVirtualItems(), total: of.getTotalSize() }),
    });
    const end = virtualizer._didMount();
    virtualizer._willUpdate();
    return end;
  }, [element, count, size, overscan, horizontal]);
  const { of } = shown;
  useEffect(() => {
    if (at >= 0) of?.scrollToIndex(at);
  }, [at, of]);
  const measured = useCallback((item: HTMLElement | null) => of?.measureElement(item), [of]);
  // Until the first measurement the items of a list that has become shorter are those of before.
  return { scroller, measured, items: shown.items.filter(({ index }) => index < count), total: shown.total };
}
