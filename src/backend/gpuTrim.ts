/**
 * A bound on the memory that waits for use. tfjs 4.22.0 keeps every freed buffer for a tensor of exactly its size and never
 * gives one back, so a run whose sequences vary in length would grow for as long as new lengths come.
 */
import type { GpuBufferManager } from './gpuInternals.ts';

/** Idle bytes allowed for each byte in use at the time of most use. */
const IDLE_SHARE = 0.25;
/** Idle bytes allowed anyway. */
const MIN_IDLE = 4 * 2 ** 20;

/**
 * Starts the accounting. The returned function destroys idle buffers, the sizes asked for least recently first, until the
 * bound holds; it must only be called when no recorded work is waiting for submission.
 */
export function idleBufferBound(manager: GpuBufferManager): () => void {
  const lastUse = new Map<string, number>();
  let uses = 0;
  let peak = 0;
  const acquire = manager.acquireBuffer.bind(manager);
  manager.acquireBuffer = (size, usage, mappedAtCreation, reuse) => {
    lastUse.set(`${size}_${usage}`, uses++);
    const buffer = acquire(size, usage, mappedAtCreation, reuse);
    peak = Math.max(peak, manager.numBytesUsed);
    return buffer;
  };
  return () => {
    const allowed = peak + Math.max(peak * IDLE_SHARE, MIN_IDLE);
    if (manager.numBytesAllocated <= allowed) return;
    const idle = [...manager.freeBuffers].filter(([, buffers]) => buffers.length > 0);
    idle.sort(([a], [b]) => (lastUse.get(a) ?? 0) - (lastUse.get(b) ?? 0));
    for (const [, buffers] of idle) {
      while (manager.numBytesAllocated > allowed) {
        const buffer = buffers.pop();
        if (!buffer) break;
        manager.numFreeBuffers--;
        manager.numBytesAllocated -= buffer.size;
        buffer.destroy();
      }
    }
  };
}
