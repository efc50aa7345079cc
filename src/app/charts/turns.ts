/**
 * Charts are drawn one after the other, so that a step of a long run with many open charts keeps no frame for long. Each takes two frames:
 * recharts tells its own parts of new data in the frame behind the one that drew it.
 */
import { useEffect, useState } from 'react';

/** Who waits, in order, with what to draw by then. */
const waiting = new Map<object, () => void>();
let asked = false;

function inNextFrame(act: () => void): void {
  // Tabs that nobody sees have no frames.
  if (document.hidden) setTimeout(act);
  else requestAnimationFrame(act);
}

function giveTurn(): void {
  const [first] = waiting;
  if (first === undefined) {
    asked = false;
    return;
  }
  const [who, draw] = first;
  waiting.delete(who);
  draw();
  inNextFrame(() => inNextFrame(giveTurn));
}

function ask(): void {
  if (asked) return;
  asked = true;
  inNextFrame(giveTurn);
}

/** The newest value by the time that it is this chart's turn; the first at once. */
export function useTurn<T>(value: T): T {
  const [shown, setShown] = useState(value);
  const [who] = useState(() => ({}));
  useEffect(() => {
    if (Object.is(value, shown)) return;
    waiting.set(who, () => setShown(value));
    ask();
  }, [value, shown, who]);
  useEffect(() => () => void waiting.delete(who), [who]);
  return shown;
}
