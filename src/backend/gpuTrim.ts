/**
 * Bounds on the memory that waits for use. tfjs 4.22.0 keeps every freed buffer for a tensor of exactly its size and never
 * gives one back, so a run whose sequences vary in length would grow for as long as new lengths come.
 */
import type { GpuBufferManager } from './gpuInternals.ts';

/** Idle bytes allowed for each byte in use at the time of most use. */
const IDLE_SHARE = 0.25;
/** Idle bytes allowed anyway. */
const MIN_IDLE = 4 * 2 ** 20;

/** Both functions must only be called when no recorded work is waiting for submission. */
export interface IdleBuffers {
  /** Destroys idle buffers, the sizes asked for least recently first, until they are few beside those in use. */
  bound(): void;
  /** Ends a step: destroys idle buffers but for sizes that this step and the one before both asked for. */
  endStep(): void;
}

export function idleBuffers(manager: GpuBufferManager): IdleBuffers {
  const lastUse = new Map<string, number>();
  let uses = 0;
  let peak = 0;
  let stepBegin = 0;
  let sizesBefore = new Set<string>();
  const acquire = manager.acquireBuffer.bind(manager);
  manager.acquireBuffer = (size, usage, mappedAtCreation, reuse) => {
    lastUse.set(`${size}_${usage}`, uses++);
    const buffer = acquire(size, usage, mappedAtCreation, reuse);
    peak = Math.max(peak, manager.numBytesUsed);
    return buffer;
  };

  function destroyOne(buffers: GPUBuffer[]): boolean {
    const buffer = buffers.pop();
    if (!buffer) return false;
    manager.numFreeBuffers--;
    manager.numBytesAllocated -= buffer.size;
    buffer.destroy();
    return true;
  }

  return {
    bound() {
      const allowed = peak + Math.max(peak * IDLE_SHARE, MIN_IDLE);
      if (manager.numBytesAllocated <= allowed) return;
      const idle = [...manager.freeBuffers].filter(([, buffers]) => buffers.length > 0);
      idle.sort(([a], [b]) => (lastUse.get(a) ?? 0) - (lastUse.get(b) ?? 0));
      for (const [, buffers] of idle) {
        while (manager.numBytesAllocated > allowed) {
          if (!destroyOne(buffers)) break;
        }
      }
    },
    endStep() {
      const sizes = new Set<string>();
      for (const [key, use] of lastUse) {
        if (use >= stepBegin) sizes.add(key);
        else lastUse.delete(key);
      }
      for (const [key, buffers] of manager.freeBuffers) {
        if (sizes.has(key) && sizesBefore.has(key)) continue;
        while (destroyOne(buffers));
      }
      sizesBefore = sizes;
      stepBegin = uses;
      peak = manager.numBytesUsed;
    },
  };
}
