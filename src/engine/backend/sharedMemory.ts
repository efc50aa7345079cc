/**
 * Returns true if memory can be shared with workers: on a cross-origin isolated page, in a browser that has SharedArrayBuffer there.
 * WebKitGTK 2.50 calls a page isolated and lacks it.
 */
export const sharesMemory = (): boolean =>
  globalThis.crossOriginIsolated && 'SharedArrayBuffer' in globalThis;
