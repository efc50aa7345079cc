/** Memory was refused: the message says how many bytes were needed, how many are allowed, and what to do. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError';
}

/** True if `error` comes from missing memory, or from wasm code that ran into its end. The state of the work is then unknown. */
export function isMemoryFailure(error: unknown): boolean {
  return (
    error instanceof MemoryError ||
    // JavaScript throws it for an ArrayBuffer or a wasm memory that it can't allocate.
    error instanceof RangeError ||
    error instanceof WebAssembly.RuntimeError ||
    (error instanceof Error && error.cause !== undefined && isMemoryFailure(error.cause))
  );
}
