import { describe, expect, it } from 'vitest';
import { squareRootRate, tinkerRate } from './learningRateRules.ts';

describe('the √batch rule', () => {
  it('doubles for four times the batch and goes back', () => {
    expect(squareRootRate(3e-4, 128, 512)).toBeCloseTo(6e-4, 12);
    expect(squareRootRate(6e-4, 512, 128)).toBeCloseTo(3e-4, 12);
    // √2 = 1.41421356…
    expect(squareRootRate(4e-5, 64, 128)).toBeCloseTo(5.656854249e-5, 13);
  });

  it('refuses an empty batch', () => {
    expect(() => squareRootRate(1e-4, 0, 8)).toThrow('found 0 and 8');
    expect(() => squareRootRate(1e-4, 8, NaN)).toThrow('found 8 and NaN');
  });
});

describe('the rule of the Tinker cookbook', () => {
  it('is the base rate at a width of 2000', () => {
    for (const family of ['llama', 'qwen'] as const) {
      expect(tinkerRate({ family, hiddenSize: 2000, lora: false })).toBeCloseTo(5e-5, 15);
      expect(tinkerRate({ family, hiddenSize: 2000, lora: true })).toBeCloseTo(5e-4, 15);
    }
  });

  it('agrees with logarithms taken by hand', () => {
    // Llama-3.1-8B, 4096 wide: ln(2000 / 4096) = −0.716864, · 0.781 = −0.559871, exp = 0.571283.
    expect(tinkerRate({ family: 'llama', hiddenSize: 4096, lora: true })).toBeCloseTo(5e-4 * 0.571283, 9);
    // Qwen3-8B, 4096 wide: −0.716864 · 0.0775 = −0.055557, exp = 0.945958.
    expect(tinkerRate({ family: 'qwen', hiddenSize: 4096, lora: false })).toBeCloseTo(5e-5 * 0.945958, 10);
  });

  it('gives narrow models more, by 2^e for half the width', () => {
    const rate = (hiddenSize: number) => tinkerRate({ family: 'llama', hiddenSize, lora: true });
    expect(rate(64) / rate(128)).toBeCloseTo(2 ** 0.781, 12);
  });

  it('refuses a model without width', () => {
    expect(() => tinkerRate({ family: 'qwen', hiddenSize: 0, lora: true })).toThrow('found 0');
  });
});
