/** Counts the bytes that are taken of the wasm heap, by watching its allocator. */
import { emscriptenModule } from '../backend/simd.ts';

interface Watch {
  now: number;
  peak: number;
}

const watches = new WeakMap<object, Watch>();

/** Starts to watch. `peak()` is the most that was taken at once since, beyond what had been taken before. */
export function watchHeapBytes(backend: object): { peak(): number } {
  const heap = emscriptenModule(backend);
  const watch = watches.get(heap) ?? watched(heap);
  const before = watch.now;
  watch.peak = before;
  return { peak: () => watch.peak - before };
}

function watched(heap: ReturnType<typeof emscriptenModule>): Watch {
  // The functions that the module has at first replace themselves when they are called.
  heap._free(heap._malloc(8));
  const { _malloc: take, _free: free } = heap;
  const watch = { now: 0, peak: 0 };
  const sizes = new Map<number, number>();
  heap._malloc = (bytes) => {
    const address = take(bytes);
    sizes.set(address >>> 0, bytes);
    watch.now += bytes;
    watch.peak = Math.max(watch.peak, watch.now);
    return address;
  };
  heap._free = (address) => {
    watch.now -= sizes.get(address >>> 0) ?? 0;
    sizes.delete(address >>> 0);
    free(address);
  };
  watches.set(heap, watch);
  return watch;
}
