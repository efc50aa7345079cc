/** Memory was refused: the message has the bytes, those allowed, and what to do. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError';
}

/** Whether `error` comes from missing memory, or from wasm code that ran into its end: whatever was under way is in an unknown state. */
export function isMemoryFailure(error: unknown): boolean {
  return (
    error instanceof MemoryError ||
    // Of an ArrayBuffer or a wasm memory that can't be had.
    error instanceof RangeError ||
    error instanceof WebAssembly.RuntimeError ||
    (error instanceof Error && error.cause !== undefined && isMemoryFailure(error.cause))
  );
}
