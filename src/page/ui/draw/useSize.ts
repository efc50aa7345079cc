import { startTransition, useEffect, useState, type RefObject } from 'react';

/** Of an element, in whole pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Whole pixels of `place`; null until the browser has said so, and while it has none. Read at once behind the first drawing they would
 * have the page laid out for each chart.
 */
export function useSize(place: RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.round(entry?.contentRect.width ?? 0);
      const height = Math.round(entry?.contentRect.height ?? 0);
      const found = width > 0 && height > 0 ? { width, height } : null;
      startTransition(() =>
        setSize((known) =>
          known?.width === found?.width && known?.height === found?.height ? known : found,
        ),
      );
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return size;
}
