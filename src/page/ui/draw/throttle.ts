/** Calls `work` at once, then at most once per interval, or at once where it `isUrgent`. The last call is never lost. */
export function throttled(
  work: () => void,
  milliseconds: number,
  isUrgent: () => boolean = () => false,
): () => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const run = (): void => {
    timer = null;
    last = performance.now();
    work();
  };
  return () => {
    const wait = isUrgent() ? 0 : last + milliseconds - performance.now();
    if (wait <= 0) {
      if (timer !== null) clearTimeout(timer);
      run();
    } else timer ??= setTimeout(run, wait);
  };
}
