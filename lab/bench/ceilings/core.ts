/** The highest rates of one CPU core from WebAssembly and typed arrays. */

/** The seconds of one measurement. */
const SECONDS = 0.25;
const TURNS = 20_000;
/** The floats of a copy, larger than any cache that one core has to itself. */
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

// A WebAssembly module that multiplies and adds vectors in registers, as fast as one core can.

/** Independent chains: enough to hide the latency, few enough for sixteen registers (ten reach 85 % of thirteen). */
const CHAINS = 13;
/** Multiply-adds of each chain in one turn of the loop. */
const UNROLLED = 8;

const bytesOf = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));

/** Unsigned LEB128. */
function number(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...number(value >>> 7)];
}

const sized = (content: readonly number[]): number[] => [...number(content.length), ...content];
const section = (id: number, content: readonly number[]): number[] => [id, ...sized(content)];

const I32 = 0x7f;
const F32 = 0x7d;
const V128 = 0x7b;
const localGet = (index: number): number[] => [0x20, ...number(index)];
const localSet = (index: number): number[] => [0x21, ...number(index)];
const f32Const = (value: number): number[] => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];
const SPLAT = [0xfd, 0x13];
const ADD = [0xfd, 0xe4, 0x01];
const MULTIPLY = [0xfd, 0xe6, 0x01];
const FIRST_LANE = [0xfd, 0x1f, 0x00];
const LOOP = [0x03, 0x40];
const END = [0x0b];
const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** Takes 1 from a local and goes back to the head of the loop unless that leaves 0. */
const countDown = (local: number): number[] => [...localGet(local), 0x41, 1, 0x6b, 0x22, local, 0x0d, 0];

/** A module that exports `run(turns: i32): f32`. */
export function vectorModule(): Uint8Array<ArrayBuffer> {
  const turns = 0;
  const factor = 1;
  const summand = 2;
  const chains = Array.from({ length: CHAINS }, (_, i) => 3 + i);
  const start = (local: number, value: number): number[] => [
    ...f32Const(value),
    ...SPLAT,
    ...localSet(local),
  ];
  const turn = Array.from({ length: UNROLLED }, () =>
    chains.flatMap((local) => [
      ...localGet(local),
      ...localGet(factor),
      ...MULTIPLY,
      ...localGet(summand),
      ...ADD,
      ...localSet(local),
    ]),
  ).flat();
  const total = chains.flatMap((local, i) => [...localGet(local), ...(i === 0 ? [] : ADD)]);
  const body = [
    1,
    ...number(CHAINS + 2),
    V128,
    ...start(factor, 0.999),
    ...start(summand, 0.001),
    ...chains.flatMap((local, i) => start(local, i)),
    ...LOOP,
    ...turn,
    ...countDown(turns),
    ...END,
    ...total,
    ...FIRST_LANE,
    ...END,
  ];
  return Uint8Array.from([
    ...HEADER,
    ...section(1, [1, 0x60, 1, I32, 1, F32]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...sized(bytesOf('run')), 0, 0]),
    ...section(10, [1, ...sized(body)]),
  ]);
}

/** Floating-point operations in one turn: four lanes, a multiplication and an addition each. */
export const OPERATIONS_PER_TURN = CHAINS * UNROLLED * 4 * 2;
