/** Which thread this instance of the kernels runs on. A global of WebAssembly belongs to one instance, so threads do not share it. */

let index: i32 = 0;

/** Called once when a thread starts; the thread that calls kernels is number 0. */
export function setThread(value: i32): void {
  index = value;
}

/** This thread's part of a scratch block that holds `bytes` for every thread. */
@inline
export function ownPart(scratch: usize, bytes: usize): usize {
  return scratch + <usize>index * bytes;
}
