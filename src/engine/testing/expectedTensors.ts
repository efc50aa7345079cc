/** The tensors of a safetensors file as plain numbers, F32 and I32: known answers are not models, so `hub` does not read them. */

export interface ExpectedTensor {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** @throws Error for any other type. */
export function parseExpectedTensors(bytes: Uint8Array): Map<string, ExpectedTensor> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const dataStart = 8 + Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, dataStart))) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const tensors = new Map<string, ExpectedTensor>();
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (dtype !== 'F32' && dtype !== 'I32') throw new Error(`${name} is ${dtype}; F32 and I32 are read.`);
    const [begin, end] = offsets;
    // A copy: where they lie in the file they need not be aligned.
    const aligned = new Uint8Array(bytes.subarray(dataStart + begin, dataStart + end)).buffer;
    const values = dtype === 'F32' ? new Float32Array(aligned) : new Int32Array(aligned);
    tensors.set(name, { shape, values: new Float64Array(values) });
  }
  return tensors;
}
