/** Attention of decoding against float64: shared prompts, own tokens, norms, RoPE, grouped heads, every kind of work. */
import { describe, expect, test } from 'vitest';
import { worstDifference } from '../../testing/accuracy.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { rowList, runKernel, type KernelData } from '../../testing/gpuKernel.ts';
import { freshInputs, type RandomInputs } from '../checks/random.ts';
import { attendReference, rmsNormReference, ropeReference } from '../checks/reference.ts';
import { attentionKernel } from './attention.ts';
import type { AttentionSpec } from './attentionSpec.ts';

const gpu = testDevice();
const POSITIONS = 150;
const ENTRIES = 400;

/** Prompts of 5 and 90 tokens at entries 0 and 10; each row's own from entry 100 · (row + 1). */
const ROWS = [
  { position: 5, promptBase: 0, promptLength: 5, ownBase: 100 },
  { position: 12, promptBase: 0, promptLength: 5, ownBase: 200 },
  { position: 131, promptBase: 10, promptLength: 90, ownBase: 300 },
];

function inputsOf({ heads, kvHeads, headDim }: AttentionSpec, random: RandomInputs) {
  const frequencies = Array.from({ length: headDim / 2 }, (_, i) => 100 ** ((-2 * i) / headDim));
  const table = new Float32Array(POSITIONS * headDim);
  for (let position = 0; position < POSITIONS; position++) {
    frequencies.forEach((frequency, i) => {
      table[position * headDim + i] = Math.cos(position * frequency);
      table[position * headDim + headDim / 2 + i] = Math.sin(position * frequency);
    });
  }
  const floats = (size: number) => Float32Array.from(random.floats(size));
  return {
    frequencies,
    table,
    qkv: floats(ROWS.length * (heads + 2 * kvHeads) * headDim),
    keys: floats(ENTRIES * kvHeads * headDim),
    values: floats(ENTRIES * kvHeads * headDim),
    mixed: new Float32Array(ROWS.length * heads * headDim),
    queryNorm: floats(headDim),
    keyNorm: floats(headDim),
  };
}

type Inputs = ReturnType<typeof inputsOf>;

/** What the caches hold after the step, and the mixed values. */
function reference(spec: AttentionSpec, inputs: Inputs) {
  const { heads, kvHeads, headDim, headNormEpsilon } = spec;
  const width = (heads + 2 * kvHeads) * headDim;
  const keys = Float64Array.from(inputs.keys);
  const values = Float64Array.from(inputs.values);
  const head = (row: number, index: number, gamma: Float32Array | null): Float64Array => {
    const at = row * width + index * headDim;
    const raw = Float64Array.from(inputs.qkv.subarray(at, at + headDim));
    if (gamma === null) return raw;
    const normed =
      headNormEpsilon === null ? raw : rmsNormReference(raw, Float64Array.from(gamma), headNormEpsilon);
    return ropeReference(normed, Int32Array.of(ROWS[row]?.position ?? NaN), inputs.frequencies);
  };
  const mixed: number[] = [];
  ROWS.forEach(({ position, promptBase, promptLength, ownBase }, row) => {
    const entryOf = (j: number): number => (j < promptLength ? promptBase + j : ownBase + j - promptLength);
    for (let h = 0; h < kvHeads; h++) {
      const at = (entryOf(position) * kvHeads + h) * headDim;
      keys.set(head(row, heads + h, inputs.keyNorm), at);
      values.set(head(row, heads + kvHeads + h, null), at);
    }
    for (let h = 0; h < heads; h++) {
      const kvHead = Math.floor((h * kvHeads) / heads);
      const vectors = (cache: Float64Array): Float64Array[] =>
        Array.from({ length: position + 1 }, (_, j) => {
          const at = (entryOf(j) * kvHeads + kvHead) * headDim;
          return cache.subarray(at, at + headDim);
        });
      mixed.push(...attendReference(head(row, h, inputs.queryNorm), vectors(keys), vectors(values)));
    }
  });
  return { keys, values, mixed };
}

const SPECS: readonly AttentionSpec[] = [
  { heads: 4, kvHeads: 4, headDim: 8, headNormEpsilon: null },
  { heads: 6, kvHeads: 2, headDim: 24, headNormEpsilon: 1e-6 },
  { heads: 3, kvHeads: 1, headDim: 64, headNormEpsilon: null },
  { heads: 18, kvHeads: 2, headDim: 16, headNormEpsilon: null },
];

describe.each(['items', 'groups'] as const)('attention of decoding, %s', (plan) => {
  test.each(SPECS)(
    '$heads heads on $kvHeads of $headDim: one step, and append before attend',
    async (spec) => {
      const random = freshInputs();
      const inputs = inputsOf(spec, random);
      const list = rowList(ROWS.length, (row) => ROWS[row] ?? {});
      const data = (caches: Pick<Inputs, 'keys' | 'values'>): KernelData[] => [
        list,
        inputs.qkv,
        inputs.table,
        caches.keys,
        caches.values,
        inputs.mixed,
        ...(spec.headNormEpsilon === null ? [] : [inputs.queryNorm, inputs.keyNorm]),
      ];
      const work = async (kind: 'step' | 'append' | 'attend', caches: Pick<Inputs, 'keys' | 'values'>) => {
        const results = await runKernel(
          gpu.device,
          attentionKernel(spec, kind, plan),
          data(caches),
          ROWS.length,
        );
        const [keys, values, mixed] = [3, 4, 5].map(
          (i) => new Float32Array(results[i] ?? new ArrayBuffer(0)),
        );
        if (!keys || !values || !mixed) throw new Error('A buffer did not come back.');
        return { keys, values, mixed };
      };
      const expected = reference(spec, inputs);
      const step = await work('step', inputs);
      for (const what of ['keys', 'values', 'mixed'] as const) {
        expect(worstDifference(step[what], expected[what]), `${what}, seed ${random.seed}`).toBeLessThan(
          1e-5,
        );
      }
      const appended = await work('append', inputs);
      expect(appended.keys).toEqual(step.keys);
      expect(appended.values).toEqual(step.values);
      const attended = await work('attend', appended);
      expect(attended.mixed).toEqual(step.mixed);
    },
  );
});
