/** The items of a long list that are in sight, so that only those are drawn. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useState } from 'react';

interface ListShape {
  readonly count: number;
  /** The pixels of an item, or a first guess where it is measured. */
  readonly size: number;
  /** The number of items drawn beside those in sight. */
  readonly overscan: number;
  readonly horizontal?: boolean;
}

/** `at`: the item that is scrolled to when it changes, or below 0 for none. */
export function useInView({ size, ...shape }: ListShape, at = -1) {
  const [element, scroller] = useState<HTMLElement | null>(null);
  const virtualizer = useVirtualizer({
    ...shape,
    estimateSize: () => size,
    getScrollElement: () => element,
    useFlushSync: false,
  });
  useEffect(() => {
    if (at >= 0 && element !== null) virtualizer.scrollToIndex(at);
  }, [at, element, virtualizer]);
  return {
    /** The ref of the element that scrolls. */
    scroller,
    /** The ref of an item that is measured, which says its number as `data-index`. */
    measured: virtualizer.measureElement,
    items: virtualizer.getVirtualItems(),
    total: virtualizer.getTotalSize(),
  };
}
