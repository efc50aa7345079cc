/** Attention of decoding against float64: shared prompts, own tokens, norms, RoPE, grouped heads, every kind of work. */
import { describe, expect, test } from 'vitest';
import { fromFloat16, toFloat16 } from '../shared/halfFloats.ts';
import { relativeError, worstDifference } from '../../testing/accuracy.ts';
import { casesOf, decodePlans } from '../../testing/gpu.ts';
import { testDevice } from '../../testing/gpuDevice.ts';
import { rowList, runKernel, type KernelData } from './runKernel.ts';
import { freshInputs, type RandomInputs } from '../testing/random.ts';
import { attendReference, rmsNormReference, ropeReference } from '../testing/reference.ts';
import { attentionKernel } from './attention.ts';
import { projectsHeads, type AttentionSpec } from './attentionSpec.ts';
import { mergeKernel, splitFor, splitWidth, type AttentionSplit } from './attentionSplit.ts';
import { linearKernel } from './linear.ts';
import { PLAIN_MAP } from './linearSpec.ts';
import { projectionVectors } from './lowRank.ts';
import { pageBytes } from './pages.ts';

const gpu = testDevice();

const pageFloats = (spec: Pick<AttentionSpec, 'kvHeads' | 'headDim'>): number => pageBytes(spec, 'f32') / 4;

/** A cache as the kernels have it, and back. */
const wordsOf = (
  { cachePrecision }: AttentionSpec,
  cache: Float32Array<ArrayBuffer>,
): Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> =>
  cachePrecision === 'f16' ? new Uint32Array(toFloat16(cache).buffer) : cache;
const numbersOf = ({ cachePrecision }: AttentionSpec, words: ArrayBuffer): Float32Array<ArrayBuffer> =>
  cachePrecision === 'f16' ? fromFloat16(new Uint16Array(words)) : new Float32Array(words);

const POSITIONS = 150;
const PAGES = 40;

/**
 * Rows of prompts of 5 and 90 tokens, each with up to three pages of its own: four of one prompt, four of two, one alone. Then
 * tokens of a prompt that is being prefilled.
 */
const STEP_ROWS = 9;
/** The entry of the page table with the only page of the prefilled prompt. */
const PREFILLED = 7;
const ROWS = [
  ...[5, 12, 30, 7, 8, 9].map((position) => ({ position, promptPages: 0, promptLength: 5 })),
  ...[131, 90, 95].map((position) => ({ position, promptPages: 1, promptLength: 90 })),
  ...[0, 1, 2, 3, 4].map((position) => ({ position, promptPages: PREFILLED, promptLength: position + 1 })),
].map((row, i) => ({ ...row, ownPages: PREFILLED + 1 + 3 * i }));

function shuffled(count: number, random: RandomInputs): number[] {
  const order = random.floats(count);
  return Array.from({ length: count }, (_, i) => i).sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0));
}

function inputsOf(spec: AttentionSpec, random: RandomInputs) {
  const { heads, kvHeads, headDim } = spec;
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
    pages: Uint32Array.from(shuffled(PAGES, random)),
    cache: numbersOf(spec, wordsOf(spec, floats(PAGES * pageFloats(spec))).slice().buffer),
    mixed: new Float32Array(ROWS.length * heads * headDim),
    queryNorm: floats(headDim),
    keyNorm: floats(headDim),
  };
}

type Inputs = ReturnType<typeof inputsOf>;

/** Returns the caches after the step, and the mixed values. */
function reference(spec: AttentionSpec, inputs: Inputs) {
  const { heads, kvHeads, headDim, headNormEpsilon } = spec;
  const width = (heads + 2 * kvHeads) * headDim;
  const cache = Float64Array.from(inputs.cache);
  const head = (row: number, index: number, gamma: Float32Array | null): Float64Array => {
    const at = row * width + index * headDim;
    const raw = Float64Array.from(inputs.qkv.subarray(at, at + headDim));
    if (gamma === null) return raw;
    const normed =
      headNormEpsilon === null
        ? raw
        : rmsNormReference(raw, Float64Array.from(gamma), headNormEpsilon, spec.headNormShift);
    return ropeReference(normed, Int32Array.of(ROWS[row]?.position ?? NaN), inputs.frequencies);
  };
  const mixed: number[] = [];
  ROWS.forEach(({ position, promptPages, promptLength, ownPages }, row) => {
    /** The entry of key j. The first 16 of a page's 32 entries are keys. */
    const entryOf = (j: number): number => {
      const [first, at] = j < promptLength ? [promptPages, j] : [ownPages, j - promptLength];
      return (inputs.pages[first + Math.floor(at / 16)] ?? NaN) * 32 + (at % 16);
    };
    const placeOf = (entry: number, kvHead: number): number => (entry * kvHeads + kvHead) * headDim;
    for (let h = 0; h < kvHeads; h++) {
      const entry = entryOf(position);
      cache.set(head(row, heads + h, inputs.keyNorm), placeOf(entry, h));
      cache.set(head(row, heads + kvHeads + h, null), placeOf(entry + 16, h));
    }
    for (let h = 0; h < heads; h++) {
      const kvHead = Math.floor((h * kvHeads) / heads);
      const first = Math.max(0, position + 1 - (spec.window ?? Infinity));
      const vectors = (behind: number): Float64Array[] =>
        Array.from({ length: position + 1 - first }, (_, i) => {
          const at = placeOf(entryOf(first + i) + behind, kvHead);
          return cache.subarray(at, at + headDim);
        });
      mixed.push(...attendReference(head(row, h, inputs.queryNorm), vectors(0), vectors(16), spec.scale));
    }
  });
  return { cache, mixed };
}

/** Gemma 3's. Rows of one prompt see it from different positions on, and some of it no more. */
const WINDOWED = {
  heads: 4,
  kvHeads: 2,
  headNormEpsilon: 1e-6,
  headNormShift: 1,
  scale: 0.3,
  cachePrecision: 'f32',
} as const;

const SPECS: readonly AttentionSpec[] = [
  { heads: 4, kvHeads: 4, headDim: 8, headNormEpsilon: null, cachePrecision: 'f32' },
  { heads: 6, kvHeads: 2, headDim: 24, headNormEpsilon: 1e-6, cachePrecision: 'f32' },
  { heads: 3, kvHeads: 1, headDim: 64, headNormEpsilon: null, cachePrecision: 'f32' },
  { heads: 18, kvHeads: 2, headDim: 16, headNormEpsilon: null, cachePrecision: 'f32' },
  { heads: 6, kvHeads: 2, headDim: 16, headNormEpsilon: null, cachePrecision: 'f16' },
  { heads: 6, kvHeads: 2, headDim: 24, headNormEpsilon: 1e-6, cachePrecision: 'f16' },
  { ...WINDOWED, headDim: 16, window: 21 },
  { ...WINDOWED, headDim: 16, window: 2 },
  { ...WINDOWED, headDim: 8, window: 9 },
];

describe.each(decodePlans)('attention of decoding, %s', (plan) => {
  // The few: normed heads, heads that are whole quads of vectors, and a window.
  test.each(
    casesOf(
      SPECS,
      SPECS.filter(
        ({ headDim, cachePrecision, window }) =>
          headDim === (cachePrecision === 'f16' ? 16 : 24) || window === 21,
      ),
    ),
  )(
    '$heads heads on $kvHeads of $headDim in $cachePrecision, window $window: one step, and append before attend',
    async (spec) => {
      const random = freshInputs();
      const inputs = inputsOf(spec, random);
      const work = async (
        kind: 'step' | 'append' | 'attend',
        rows: number,
        { cache: before }: Pick<Inputs, 'cache'>,
      ) => {
        const data: KernelData[] = [
          rowList(rows, (row) => ROWS[row] ?? {}),
          inputs.qkv,
          inputs.table,
          inputs.pages,
          wordsOf(spec, before),
          inputs.mixed,
          ...(spec.headNormEpsilon === null ? [] : [inputs.queryNorm, inputs.keyNorm]),
        ];
        const results = await runKernel(gpu.device, attentionKernel(spec, kind, plan), data, rows);
        const [words, mixed] = [results[4], results[5]];
        if (!words || !mixed) throw new Error('A buffer did not come back.');
        return { cache: numbersOf(spec, words), mixed: new Float32Array(mixed) };
      };
      const expected = reference(spec, inputs);
      const appended = await work('append', ROWS.length, inputs);
      const attended = await work('attend', ROWS.length, appended);
      for (const what of ['cache', 'mixed'] as const) {
        expect(worstDifference(attended[what], expected[what]), `${what}, seed ${random.seed}`).toBeLessThan(
          // What the step itself has written is rounded to 11 bits.
          spec.cachePrecision === 'f16' ? 5e-3 : 1e-5,
        );
      }
      // Rows with keys of their own do both at once, and are the same to the bit beside other neighbours.
      const step = await work('step', STEP_ROWS, inputs);
      const end = STEP_ROWS * spec.heads * spec.headDim;
      expect(step.mixed.slice(0, end)).toEqual(attended.mixed.slice(0, end));
      const alone = await work('step', 1, inputs);
      const row = spec.heads * spec.headDim;
      expect(alone.mixed.slice(0, row)).toEqual(attended.mixed.slice(0, row));
      const floats = pageFloats(spec);
      for (const page of inputs.pages) {
        if (page === inputs.pages[PREFILLED]) continue;
        const [first, last] = [page * floats, (page + 1) * floats];
        expect(step.cache.slice(first, last)).toEqual(attended.cache.slice(first, last));
      }
    },
  );
});

test('a context is cut into parts where a workgroup would have more than 512 keys, on hardware alone', () => {
  expect(splitFor({}, 512, 'groups')).toBeNull();
  expect(splitFor({ window: 512 }, 4000, 'groups')).toBeNull();
  expect(splitFor({}, 4000, 'quads')).toBeNull();
  expect(splitFor({}, 513, 'groups')).toEqual({ span: 256, parts: 3 });
  expect(splitFor({ window: 1024 }, 4096, 'groups')).toEqual({ span: 256, parts: 16 });
  expect(splitFor({}, 4097, 'groups')).toEqual({ span: 512, parts: 9 });
});

const SPLIT: AttentionSplit = { span: 48, parts: 3 };

/** Runs a step on hardware's kernels, in parts of the keys where there is a split. Returns the mixed values and what lies behind them. */
async function mixedOf(
  spec: AttentionSpec,
  { qkv, table, pages, cache, queryNorm, keyNorm }: Inputs,
  {
    mixed,
    factors,
    split,
    rows,
  }: {
    readonly mixed: Float32Array<ArrayBuffer>;
    readonly factors?: Float32Array<ArrayBuffer>;
    readonly split: AttentionSplit | null;
    readonly rows: number;
  },
): Promise<Float32Array<ArrayBuffer>> {
  const list = rowList(rows, (row) => ROWS[row] ?? {});
  const behind = factors ? [factors] : [];
  const norms = spec.headNormEpsilon === null ? [] : [queryNorm, keyNorm];
  const to = split ? new Float32Array(rows * splitWidth(spec, split)) : mixed;
  const attended = await runKernel(
    gpu.device,
    attentionKernel(spec, 'step', 'groups', split),
    [list, qkv, table, pages, wordsOf(spec, cache), to, ...norms, ...(split ? [] : behind)],
    rows,
  );
  const found = new Float32Array(attended[5] ?? new ArrayBuffer(0));
  if (!split) return found;
  const merged = await runKernel(gpu.device, mergeKernel(spec, split), [list, found, mixed, ...behind], rows);
  return new Float32Array(merged[2] ?? new ArrayBuffer(0));
}

test.each(casesOf(SPECS, SPECS.filter(({ headDim, window }) => headDim === 24 || window === 21).slice(-2)))(
  '$heads heads on $kvHeads of $headDim in $cachePrecision, window $window: parts of the keys together, groups',
  async (spec) => {
    const random = freshInputs();
    const inputs = inputsOf(spec, random);
    const work = (rows: number) => mixedOf(spec, inputs, { mixed: inputs.mixed, split: SPLIT, rows });
    const width = spec.heads * spec.headDim;
    const all = await work(STEP_ROWS);
    const expected = reference(spec, inputs).mixed.slice(0, STEP_ROWS * width);
    expect(worstDifference(all, expected), `seed ${random.seed}`).toBeLessThan(
      spec.cachePrecision === 'f16' ? 5e-3 : 1e-5,
    );
    expect((await work(1)).slice(0, width)).toEqual(all.slice(0, width));
  },
);

test.each([null, SPLIT])(
  'the map behind attention has the numbers of float64 with an adapter whose x·A attention computes, groups, parts %j',
  async (split) => {
    const random = freshInputs();
    const heading = {
      heads: 6,
      kvHeads: 2,
      headDim: 16,
      headNormEpsilon: null,
      cachePrecision: 'f32',
    } as const;
    expect(projectsHeads(heading, 'groups')).toBe(true);
    const [rank, scale, outputs] = [6, 0.7, 20];
    const width = heading.heads * heading.headDim;
    const lowRank = {
      rank,
      scale,
      parts: [{ column: 0, columns: outputs, a: 0, b: width * rank }],
      at: (STEP_ROWS * width) / 4,
      shares: heading.kvHeads,
    };
    const spec: AttentionSpec = { ...heading, lowRank };
    const inputs = inputsOf(spec, random);
    const mixed = new Float32Array(STEP_ROWS * (width + 4 * projectionVectors(lowRank)));
    const factors = Float32Array.from(random.floats((width + outputs) * rank));
    const list = rowList(STEP_ROWS, (row) => ROWS[row] ?? {});
    const x = await mixedOf(spec, inputs, { mixed, factors, split, rows: STEP_ROWS });
    const matrix = Float32Array.from(random.floats(width * outputs));
    const map = { ...PLAIN_MAP, label: 'test', inputs: width, outputs, lowRank };
    const y = new Float32Array(STEP_ROWS * outputs);
    const mapped = await runKernel(
      gpu.device,
      linearKernel(map, 'groups'),
      [list, x, matrix, y, factors],
      STEP_ROWS,
    );
    const rows = Array.from({ length: STEP_ROWS }, (_, row) =>
      reference(spec, inputs).mixed.slice(row * width, (row + 1) * width),
    );
    const times = (row: readonly number[], from: Float32Array, columns: number): number[] =>
      Array.from({ length: columns }, (_, c) =>
        row.reduce((sum, value, k) => sum + value * (from[k * columns + c] ?? NaN), 0),
      );
    const expected = rows.flatMap((row) => {
      const added = times(times(row, factors, rank), factors.subarray(width * rank), outputs);
      return times(row, matrix, outputs).map((value, c) => value + scale * (added[c] ?? NaN));
    });
    const found = new Float32Array(mapped[3] ?? new ArrayBuffer(0));
    expect(relativeError(found, expected), `seed ${random.seed}`).toBeLessThan(1e-5);
  },
);
