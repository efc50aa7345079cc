/**
 * Time spent inside our wasm kernels, for the share of a step that is something else. On wasm a kernel has done its work
 * when it returns; on a GPU only the device can tell, so there nothing is counted.
 */

let counting = false;
let milliseconds = 0;

/** Counts from zero. */
export function startKernelClock(): void {
  counting = true;
  milliseconds = 0;
}

/** Milliseconds in kernels since the start; counting ends. */
export function stopKernelClock(): number {
  counting = false;
  return milliseconds;
}

/** Runs a kernel and counts its time where that is asked for. */
export function clocked<T>(kernel: () => T): T {
  if (!counting) return kernel();
  const began = performance.now();
  try {
    return kernel();
  } finally {
    milliseconds += performance.now() - began;
  }
}
