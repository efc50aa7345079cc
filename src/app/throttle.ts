/** Calls through at once, then at most once per interval; the last call is never lost. */
export interface Throttled {
  (): void;
  /** Drops a call that still waits. */
  cancel(): void;
}

export function throttled(work: () => void, milliseconds: number): Throttled {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const run = (): void => {
    timer = null;
    last = performance.now();
    work();
  };
  const call = (): void => {
    if (timer !== null) return;
    const wait = last + milliseconds - performance.now();
    if (wait <= 0) run();
    else timer = setTimeout(run, wait);
  };
  return Object.assign(call, {
    cancel: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  });
}
