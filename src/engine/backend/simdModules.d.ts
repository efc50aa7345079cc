/** Base64 of the compiled kernels; see `src/page/vite/simdKernels.ts`. */
declare module 'virtual:simd-kernels/shared' {
  const base64: string;
  export default base64;
}
declare module 'virtual:simd-kernels/shared-fused' {
  const base64: string;
  export default base64;
}
declare module 'virtual:simd-kernels/unshared-fused' {
  const base64: string;
  export default base64;
}
declare module 'virtual:simd-kernels/unshared' {
  const base64: string;
  export default base64;
}
