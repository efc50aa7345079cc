import { describe, expect, test } from 'vitest';
import { packedLength, parameterSpecs } from '../../model/parameters.ts';
import { TINY_CONFIGS, TINY_KINDS } from '../../testing/tinyModels.ts';
import { poolOf, weightLayout, weightsOf } from './weights.ts';

const randomPool = (length: number): Float32Array => Float32Array.from({ length }, () => Math.random() - 0.5);

describe.each(TINY_KINDS)('weights of %s', (kind) => {
  const config = TINY_CONFIGS[kind];
  const specs = parameterSpecs(config);
  const pool = randomPool(packedLength(config));

  test('f32 is the pool itself', () => {
    expect(poolOf(config, weightsOf(config, pool, 'f32'))).toEqual(pool);
  });

  test('f16 rounds matrices to 11 bits, keeps vectors, and takes half the bytes', () => {
    const weights = weightsOf(config, pool, 'f16');
    const back = poolOf(config, weights);
    for (const { offset, shape, decay } of specs) {
      const length = shape.reduce((product, extent) => product * extent, 1);
      for (let i = offset; i < offset + length; i++) {
        const value = pool[i] ?? NaN;
        const allowed = decay ? Math.abs(value) * 2 ** -11 + 2 ** -25 : 0;
        expect(Math.abs((back[i] ?? NaN) - value)).toBeLessThanOrEqual(allowed);
      }
    }
    // Alignment and the vectors take a little more than half.
    expect(weights.bytes.length).toBeLessThan(0.75 * pool.byteLength);
  });

  test.each(['f32', 'f16'] as const)(
    '%s: every parameter has bytes of its own from a multiple of 256',
    (precision) => {
      const { places, bytes } = weightLayout(config, precision);
      expect(places.map(({ name }) => name)).toEqual(specs.map(({ name }) => name));
      let end = 0;
      for (const { offset, size } of places) {
        expect(offset % 256).toBe(0);
        expect(offset).toBeGreaterThanOrEqual(end);
        end = offset + size;
      }
      expect(end).toBeLessThanOrEqual(bytes);
    },
  );

  test('pools and bytes of another model are refused with both numbers', () => {
    const needed = packedLength(config);
    expect(() => weightsOf(config, pool.subarray(1), 'f32')).toThrow(
      `hold ${needed - 1} numbers; this model needs ${needed}`,
    );
    expect(() => poolOf(config, { precision: 'f16', bytes: new Uint8Array(8) })).toThrow('are 8 bytes');
  });
});
