/** Attention of decoding against float64: shared prompts, own tokens, norms, RoPE, grouped heads, every kind of work. */
import { describe, expect, test } from 'vitest';
import { worstDifference } from '../../testing/accuracy.ts';
import { casesOf } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { rowList, runKernel, type KernelData } from '../../testing/gpuKernel.ts';
import { freshInputs, type RandomInputs } from '../checks/random.ts';
import { attendReference, rmsNormReference, ropeReference } from '../checks/reference.ts';
import { attentionKernel } from './attention.ts';
import type { AttentionSpec } from './attentionSpec.ts';

const gpu = testDevice();
const POSITIONS = 150;
const ENTRIES = 1500;

/**
 * Rows of prompts of 5 and 90 tokens at entries 0 and 10, each with keys of its own from entry 100 · (row + 1): four of one
 * prompt, four of two, one alone. Then tokens of a prompt that is being prefilled, at entry 1400.
 */
const STEP_ROWS = 9;
const ROWS = [
  ...[5, 12, 30, 7, 8, 9].map((position) => ({ position, promptBase: 0, promptLength: 5 })),
  ...[131, 90, 95].map((position) => ({ position, promptBase: 10, promptLength: 90 })),
  ...[0, 1, 2, 3, 4].map((position) => ({ position, promptBase: 1400, promptLength: position + 1 })),
].map((row, i) => ({ ...row, ownBase: 100 * (i + 1) }));

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

describe.each(['quads', 'items', 'groups'] as const)('attention of decoding, %s', (plan) => {
  // The few: normed heads, and heads that are whole quads of vectors.
  test.each(
    casesOf(
      SPECS,
      SPECS.filter(({ headDim }) => headDim === 24 || headDim === 16),
    ),
  )('$heads heads on $kvHeads of $headDim: one step, and append before attend', async (spec) => {
    const random = freshInputs();
    const inputs = inputsOf(spec, random);
    const work = async (
      kind: 'step' | 'append' | 'attend',
      rows: number,
      caches: Pick<Inputs, 'keys' | 'values'>,
    ) => {
      const data: KernelData[] = [
        rowList(rows, (row) => ROWS[row] ?? {}),
        inputs.qkv,
        inputs.table,
        caches.keys,
        caches.values,
        inputs.mixed,
        ...(spec.headNormEpsilon === null ? [] : [inputs.queryNorm, inputs.keyNorm]),
      ];
      const results = await runKernel(gpu.device, attentionKernel(spec, kind, plan), data, rows);
      const [keys, values, mixed] = [3, 4, 5].map((i) => new Float32Array(results[i] ?? new ArrayBuffer(0)));
      if (!keys || !values || !mixed) throw new Error('A buffer did not come back.');
      return { keys, values, mixed };
    };
    const expected = reference(spec, inputs);
    const appended = await work('append', ROWS.length, inputs);
    const attended = await work('attend', ROWS.length, appended);
    for (const what of ['keys', 'values', 'mixed'] as const) {
      expect(worstDifference(attended[what], expected[what]), `${what}, seed ${random.seed}`).toBeLessThan(
        1e-5,
      );
    }
    // Rows with keys of their own do both at once, and are the same to the bit beside other neighbours.
    const step = await work('step', STEP_ROWS, inputs);
    const end = STEP_ROWS * spec.heads * spec.headDim;
    expect(step.mixed.slice(0, end)).toEqual(attended.mixed.slice(0, end));
    const alone = await work('step', 1, inputs);
    const row = spec.heads * spec.headDim;
    expect(alone.mixed.slice(0, row)).toEqual(attended.mixed.slice(0, row));
    const beforePrefill = 1400 * spec.kvHeads * spec.headDim;
    for (const what of ['keys', 'values'] as const) {
      expect(step[what].slice(0, beforePrefill)).toEqual(attended[what].slice(0, beforePrefill));
    }
  });
});
