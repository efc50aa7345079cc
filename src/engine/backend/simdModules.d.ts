/** Base64 of the compiled kernels, deflated; see `src/page/vite/simdKernels.ts`. */
declare module 'virtual:simd-kernels/*' {
  const base64: string;
  export default base64;
}
