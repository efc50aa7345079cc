/** Charts are drawn one after the other, one in a frame, so that a step of a long run with many open charts keeps no frame for long. */
import { useEffect, useState } from 'react';

/** Who waits, in order, with what to draw by then. */
const waiting = new Map<object, () => void>();
let asked = false;

function giveTurn(): void {
  asked = false;
  const [first] = waiting;
  if (first === undefined) return;
  const [who, draw] = first;
  waiting.delete(who);
  draw();
  ask();
}

function ask(): void {
  if (asked || waiting.size === 0) return;
  asked = true;
  // Tabs that nobody sees have no frames.
  if (document.hidden) setTimeout(giveTurn);
  else requestAnimationFrame(giveTurn);
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
