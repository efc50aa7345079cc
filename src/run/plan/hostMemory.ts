/** The machine's memory, as the browser reports it. */

/** Browsers round to it and go no further: a machine that says so may have any amount more. */
const MOST_DEVICE_MEMORY = 8;

/** Bytes; null outside of browsers, and if the browser reports nothing, or no more than that it is a lot. */
export function hostBytesOfPage(): number | null {
  const { navigator } = globalThis as { readonly navigator?: { readonly deviceMemory?: number } };
  const gigabytes = navigator?.deviceMemory ?? Infinity;
  return gigabytes < MOST_DEVICE_MEMORY ? gigabytes * 2 ** 30 : null;
}
