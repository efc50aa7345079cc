/**
 * Whether memory may be shared with workers: on a cross-origin isolated page, in a browser that has SharedArrayBuffer there. WebKitGTK 2.50
 * says of a page that it is isolated, and has none.
 */
export const sharesMemory = (): boolean =>
  globalThis.crossOriginIsolated && 'SharedArrayBuffer' in globalThis;
