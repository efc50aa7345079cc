import { describe, expect, it } from 'vitest';
import { drawsFor } from '@rl-playground/base/random';
import { TINY_CONFIGS, TINY_KINDS, tinyPool } from '../testing/tinyModels.ts';
import { unpackPeft } from './adapter.ts';
import type { ModelConfig } from './config.ts';
import { adapterLength, mergedConfig, type LoraSettings } from './lora.ts';
import { LORA_TARGETS } from './loraTargets.ts';
import { mergeAdapter } from '../testing/mergeAdapter.ts';
import { unpackArrays } from './weights.ts';

const SETTINGS: LoraSettings = { rank: 3, alpha: 5, targets: LORA_TARGETS };

function randomAdapter(config: ModelConfig, settings: LoraSettings, seed = 3): Float32Array {
  const draw = drawsFor(seed);
  return Float32Array.from({ length: adapterLength(config, settings) }, () => draw() - 0.5);
}

/** W'[o, i] = W[o, i] + (α / r) Σ_k B[o, k]·A[k, i] in float64, from the files' own layouts. */
function expectedWeights(
  config: ModelConfig,
  base: Float32Array,
  adapter: Float32Array,
  settings: LoraSettings,
) {
  const { rank, alpha } = settings;
  const weights = unpackArrays(config, base);
  const pairs = unpackPeft(config, settings, adapter);
  const head = weights.get('model.embed_tokens.weight');
  if (mergedConfig(config, settings) !== config && head) weights.set('lm_head.weight', head);
  return new Map(
    [...weights].map(([name, { shape, data }]) => {
      const matrix = (letter: string) =>
        pairs.get(`base_model.model.${name.replace(/weight$/, `lora_${letter}.weight`)}`)?.data;
      const [a, b] = [matrix('A'), matrix('B')];
      const inputs = shape[1] ?? 1;
      const values = Float64Array.from(data, (value, at) => {
        if (!a || !b) return value;
        const [o, i] = [Math.floor(at / inputs), at % inputs];
        let sum = 0;
        for (let k = 0; k < rank; k++) sum += (b[o * rank + k] ?? NaN) * (a[k * inputs + i] ?? NaN);
        return value + (alpha / rank) * sum;
      });
      return [name, { values, adapted: a !== undefined }] as const;
    }),
  );
}

describe('mergeAdapter', () => {
  const sets: [string, LoraSettings][] = [
    ['all targets', SETTINGS],
    ['k and up alone', { ...SETTINGS, targets: ['k_proj', 'up_proj'] }],
    ['the head alone', { ...SETTINGS, rank: 1, targets: ['lm_head'] }],
  ];
  for (const kind of TINY_KINDS) {
    for (const [name, settings] of sets) {
      it(`${kind}: adds the scaled product to ${name} and keeps the rest to the bit`, () => {
        const config = TINY_CONFIGS[kind];
        const base = tinyPool(kind);
        const kept = base.slice();
        const adapter = randomAdapter(config, settings);
        const merged = mergeAdapter(config, base, adapter, settings);
        expect(base).toEqual(kept);
        const found = unpackArrays(mergedConfig(config, settings), merged);
        const expected = expectedWeights(config, base, adapter, settings);
        expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
        expect([...expected.values()].filter(({ adapted }) => adapted).length).toBe(
          settings.targets
            .filter((target) => (config.mlp !== 'relu' && !config.fusedMlp) || target !== 'gate_proj')
            .reduce((sum, target) => sum + (target === 'lm_head' ? 1 : config.layers), 0),
        );
        for (const [tensor, { values, adapted }] of expected) {
          const { data } = found.get(tensor) ?? { data: new Float32Array() };
          if (!adapted) expect(data).toEqual(Float32Array.from(values));
          const worst = values.reduce(
            (most, value, i) => Math.max(most, Math.abs(value - (data[i] ?? NaN))),
            0,
          );
          expect(worst).toBeLessThan(3e-7);
        }
      });
    }
  }

  it('writes into the array it is given', () => {
    const config = TINY_CONFIGS.gqa;
    const adapter = randomAdapter(config, SETTINGS);
    const target = new Float32Array(tinyPool('gqa').length).fill(7);
    expect(mergeAdapter(config, tinyPool('gqa'), adapter, SETTINGS, target)).toBe(target);
    expect(target).toEqual(mergeAdapter(config, tinyPool('gqa'), adapter, SETTINGS));
  });

  it('gives the base weights back where B is zero', () => {
    const config = TINY_CONFIGS.gqa;
    const adapter = new Float32Array(adapterLength(config, SETTINGS));
    expect(mergeAdapter(config, tinyPool('gqa'), adapter, SETTINGS)).toEqual(tinyPool('gqa'));
  });

  it('refuses arrays of another length', () => {
    const config = TINY_CONFIGS.mha;
    const base = tinyPool('mha');
    const adapter = randomAdapter(config, SETTINGS);
    const merge = (...[pool, pairs, target]: [Float32Array, Float32Array, Float32Array?]) =>
      mergeAdapter(config, pool, pairs, SETTINGS, target);
    expect(() => merge(base.subarray(1), adapter)).toThrow(/base weights holds \d+ numbers/);
    expect(() => merge(base, adapter.subarray(64))).toThrow(/adapter holds \d+ numbers/);
    // The head of this model is tied, so that the merged pool is longer than the base's.
    expect(() => merge(base, adapter, base.slice())).toThrow(/merged weights holds \d+ numbers/);
  });
});
