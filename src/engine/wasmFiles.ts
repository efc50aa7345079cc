/** The places of tfjs' wasm files in the published package. Each is an address of its own, which bundlers see and copy. */

export function wasmFiles(): Readonly<Record<string, string>> {
  return {
    'tfjs-backend-wasm.wasm': new URL('./wasm/tfjs-backend-wasm.wasm', import.meta.url).href,
    'tfjs-backend-wasm-simd.wasm': new URL('./wasm/tfjs-backend-wasm-simd.wasm', import.meta.url).href,
    'tfjs-backend-wasm-threaded-simd.wasm': new URL(
      './wasm/tfjs-backend-wasm-threaded-simd.wasm',
      import.meta.url,
    ).href,
  };
}
