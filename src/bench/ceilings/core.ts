/** The highest rates of one CPU core from WebAssembly and typed arrays. */
import { OPERATIONS_PER_TURN, vectorModule } from './vectorModule.ts';

/** How long one measurement takes. */
const SECONDS = 0.25;
const TURNS = 20_000;
/** Larger than any cache that one core has to itself. */
const COPY_FLOATS = 2 ** 24;

export type CoreRate = () => number;

/** Repeats `work` for the measuring time; amount per second, in units of 10⁹. */
function rate(amount: number, work: () => void): number {
  const began = performance.now();
  let runs = 0;
  do {
    work();
    runs++;
  } while (performance.now() - began < SECONDS * 1000);
  return (amount * runs) / 1e6 / (performance.now() - began);
}

/** GFLOP/s of this thread each time it is called. */
export async function multiplyAddRate(): Promise<CoreRate> {
  const { instance } = await WebAssembly.instantiate(vectorModule());
  const run = instance.exports['run'] as (turns: number) => number;
  // The engine replaces its quick first code by optimised code only after some calls.
  rate(0, () => run(TURNS));
  return () => rate(OPERATIONS_PER_TURN * TURNS, () => run(TURNS));
}

/** GB/s of this thread, bytes read and written. */
export function copyRate(): CoreRate {
  const from = new Float32Array(COPY_FLOATS).fill(1);
  const to = new Float32Array(COPY_FLOATS).fill(2);
  return () => rate(2 * from.byteLength, () => to.set(from));
}
