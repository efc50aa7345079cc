/** Calls `work` through at once, then at most once per interval; the last call is never lost. */
export function throttled(work: () => void, milliseconds: number): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const run = (): void => {
    timer = null;
    last = performance.now();
    work();
  };
  return () => {
    if (timer !== null) return;
    const wait = last + milliseconds - performance.now();
    if (wait <= 0) run();
    else timer = setTimeout(run, wait);
  };
}
