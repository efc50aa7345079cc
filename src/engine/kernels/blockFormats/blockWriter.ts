import { scaleBits } from './scales.ts';

/** A block that is being written: its numbers, then its codes and scales. */
export class Block {
  readonly x: Float64Array;
  readonly codes: Int8Array;
  readonly view: DataView;
  at = 0;

  constructor(elements: number, bytes: Uint8Array) {
    this.x = new Float64Array(elements);
    this.codes = new Int8Array(elements);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(at: number, value: number): void {
    this.view.setUint8(this.at + at, value);
  }

  half(at: number, value: number): void {
    this.view.setUint16(this.at + at, scaleBits(value), true);
  }
}

/** Names the first number from `first` on that is NaN or infinite. @throws Error always. */
export function refuseNotFinite(values: Float32Array, first: number): never {
  const at = first + values.subarray(first).findIndex((value) => !Number.isFinite(value));
  throw new Error(`Element ${at} is ${values[at]}: only finite numbers can be quantized.`);
}
