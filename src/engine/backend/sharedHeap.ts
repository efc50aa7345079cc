/**
 * The wasm heap of another thread, with kernels of this thread on it: they read what lies there, as a frozen base does, so that it is in
 * memory once for all threads. What goes in and comes out passes through a room on that heap, which this thread alone uses.
 */
import { emscriptenModule, memoryOf, simdOf, type Simd } from './simd.ts';
import { MemoryError } from './memoryError.ts';
import * as tf from './tf.ts';
import { WASM_BACKEND } from './kernelRegistry.ts';

/** A room on a heap that is shared memory. */
export interface HeapRoom {
  readonly memory: WebAssembly.Memory;
  /** The address of its first byte. */
  readonly address: number;
}

/** The bytes of a room: two thirds of them are 340 rows of 1,536 numbers, and as much of a result. */
export const ROOM_BYTES = 6 * 2 ** 20;
/** The part of a room that is scratch memory of the kernels, for each thread. */
const SCRATCH_BYTES = 2 ** 16;
const FLOAT_BYTES = 4;

/**
 * Rooms that nobody uses. They are never freed: a thread that was ended may write for another moment, and would write into a tensor that
 * took the place of its room.
 */
const idleRooms: number[] = [];

/** Makes a room on this thread's heap; null if the heap is not shared memory. @throws MemoryError if the heap is full. */
export function takeRoom(): HeapRoom | null {
  if (tf.getBackend() !== WASM_BACKEND) return null;
  const heap = emscriptenModule(tf.backend());
  const memory = memoryOf(heap);
  if (memory.buffer instanceof ArrayBuffer) return null;
  const address = idleRooms.pop() ?? heap._malloc(ROOM_BYTES) >>> 0;
  if (address === 0) throw new MemoryError('The wasm heap has no room left for another generator.');
  return { memory, address };
}

/** Takes a room back, whose thread was ended. */
export function giveRoomBack({ address }: HeapRoom): void {
  idleRooms.push(address);
}

/** Another thread's heap as kernels see it. */
export interface SharedHeap extends Simd {
  /** All floats of the heap; a view that is valid until the heap grows. */
  floats(): Float32Array;
  /** The address of the floats that go in and come out, and their number. */
  readonly address: number;
  readonly length: number;
  /** The address of scratch memory. @throws Error if there is less. */
  scratch(length: number): number;
}

export async function openSharedHeap({ memory, address }: HeapRoom): Promise<SharedHeap> {
  const kernels = await simdOf(tf.backend()).on(memory);
  const scratchBytes = kernels.threads * SCRATCH_BYTES;
  return {
    ...kernels,
    floats: () => new Float32Array(memory.buffer),
    address: address + scratchBytes,
    length: (ROOM_BYTES - scratchBytes) / FLOAT_BYTES,
    scratch(length) {
      if (length * FLOAT_BYTES > scratchBytes)
        throw new Error(`A kernel asks for ${length} floats of scratch memory beside a shared base.`);
      return address;
    },
  };
}

/** Divides the room of a heap: the address of each of these numbers of floats, one behind the other. @throws Error if they do not fit */
export function placesIn({ address, length }: SharedHeap, lengths: readonly number[]): number[] {
  let taken = 0;
  const places = lengths.map((each) => {
    const place = address + taken * FLOAT_BYTES;
    taken += each;
    return place;
  });
  if (taken > length) throw new Error(`${taken} floats do not fit into a room of ${length}.`);
  return places;
}

/** Data that lies on another thread's heap. */
export interface Elsewhere {
  readonly heap: SharedHeap;
  /** The address of its first byte there. */
  readonly address: number;
}

const places = new WeakMap<object, Elsewhere>();

/** Lets a tensor stand for data on another thread's heap. */
export function placeElsewhere({ dataId }: tf.TensorInfo, place: Elsewhere): void {
  places.set(dataId, place);
}

/** The place of a tensor's data on another thread's heap; undefined if they are on this thread's. */
export const elsewhere = ({ dataId }: tf.TensorInfo): Elsewhere | undefined => places.get(dataId);
