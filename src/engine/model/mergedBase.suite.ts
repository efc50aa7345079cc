/** Adapters merged into copies of a frozen base's matrices, on the running backend, against float64. */
import { expect, test } from 'vitest';
import * as tf from '../backend/tf.ts';
import { fromFloat16, toFloat16 } from '../kernels/shared/halfFloats.ts';
import { LORA_TARGETS } from './loraTargets.ts';
import { isBlockFormat } from '../kernels/blockFormats/blockFormats.ts';
import { freshInputs } from '../kernels/testing/random.ts';
import type { FrozenFormat, FrozenMatrix } from '../kernels/frozenMatrix/frozenMatrix.ts';
import { formatOfRow, readFrozenRows } from '../kernels/frozenMatrix/storage.ts';
import { ARCHITECTURES, randomAdapterPool } from '../testing/adaptedModels.ts';
import { randomFrozenBase } from '../testing/frozenBases.ts';
import { valuesOf } from './frozenWords.ts';
import { adapterSpecs, loraScale, type LoraSettings } from './lora.ts';
import { MergedBase } from './mergedBase.ts';

/** Half the distance of neighbouring halves of a value's size, and of the smallest ones. */
const ROUNDING = 2 ** -11;
const SMALLEST = 2 ** -25;
/** The error of the sum in f32 before rounding: base, three products and a factor, each rounded, relative to the magnitudes of the terms. */
const SUM = 8 * 2 ** -24;

/** A model like Qwen3's, whose rows are whole blocks of 32. */
const WHOLE_BLOCKS = {
  ...ARCHITECTURES.qwen3,
  hiddenSize: 32,
  heads: 4,
  kvHeads: 4,
  mlpSize: 64,
};

async function numbersOf(matrix: FrozenMatrix): Promise<Float32Array> {
  return valuesOf(formatOfRow(matrix, 0), await readFrozenRows(matrix, 0, matrix.shape[0]));
}

export function mergedBaseSuite(formats: readonly FrozenFormat[]): void {
  test.each(formats)('%s: each adapter is merged into the base and rounded once, to f16', async (format) => {
    const random = freshInputs();
    // Three maps in one matrix, of which the middle has no pair, and a tied head, which the adapter unties.
    const config = isBlockFormat(format) ? WHOLE_BLOCKS : ARCHITECTURES.qwen3;
    const lora: LoraSettings = {
      rank: 3,
      alpha: 5,
      targets: LORA_TARGETS.filter((target) => target !== 'k_proj'),
    };
    const base = await randomFrozenBase(config, format, random);
    const tensors = tf.memory().numTensors;
    const merged = new MergedBase(config, base, lora);
    const specs = adapterSpecs(config, lora);
    for (const factors of [
      null,
      randomAdapterPool(config, lora, random),
      randomAdapterPool(config, lora, random),
    ]) {
      if (factors !== null) merged.merge(factors);
      for (const [name, matrix] of merged.matrices) {
        const [rows, columns] = matrix.shape;
        const below = await numbersOf(base.has(name) ? base.matrix(name) : base.head);
        const exact = Float64Array.from(below);
        const magnitude = Float64Array.from(below, Math.abs);
        for (const { a, b, column } of factors === null
          ? []
          : specs.filter(({ parameter }) => parameter === name))
          for (let out = 0; out < b.shape[1]; out++)
            for (let input = 0; input < columns; input++)
              for (let k = 0; k < lora.rank; k++) {
                const at = (column + out) * columns + input;
                const term =
                  loraScale(lora) *
                  (factors?.[a.offset + input * lora.rank + k] ?? NaN) *
                  (factors?.[b.offset + k * b.shape[1] + out] ?? NaN);
                exact[at] = (exact[at] ?? NaN) + term;
                magnitude[at] = (magnitude[at] ?? NaN) + Math.abs(term);
              }
        const found = await numbersOf(matrix);
        expect(found.length).toBe(rows * columns);
        if (factors === null) expect(found, `rounded ${name}`).toEqual(fromFloat16(toFloat16(below)));
        const worst = Math.max(
          ...found.map((value, i) => {
            const wanted = exact[i] ?? NaN;
            const allowed = ROUNDING * Math.abs(wanted) + SMALLEST + SUM * (magnitude[i] ?? NaN);
            return Math.abs(value - wanted) / allowed;
          }),
        );
        expect(worst, `${name}, seed ${random.seed}`).toBeLessThanOrEqual(1);
      }
    }
    merged.dispose();
    expect(tf.memory().numTensors).toBe(tensors);
    base.dispose();
  });
}
