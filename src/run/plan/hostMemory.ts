/** The machine's memory as the browser tells it. */

/** Browsers round to it and go no further: a machine that says so may have any amount more. */
const MOST_DEVICE_MEMORY = 8;

/** Bytes; null where nothing is known, or no more than that it is a lot, and outside of browsers. */
export function hostBytesOfPage(): number | null {
  const { navigator } = globalThis as { readonly navigator?: { readonly deviceMemory?: number } };
  const gigabytes = navigator?.deviceMemory ?? Infinity;
  return gigabytes < MOST_DEVICE_MEMORY ? gigabytes * 2 ** 30 : null;
}
