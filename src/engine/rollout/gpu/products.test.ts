/** Devices by their description alone; on real ones products are checked in `kernels/decode/integerProduct.gpu.test.ts`. */
import { afterEach, expect, test, vi } from 'vitest';
import { doubtOn, trustedProducts } from './products.ts';

/** A device that fails at the first buffer. */
const deviceOf = (vendor: string, asked: string[] = []): GPUDevice =>
  ({
    adapterInfo: { vendor, architecture: '', device: '', description: '' },
    createBuffer: () => {
      asked.push('buffer');
      throw new Error('no memory');
    },
  }) as unknown as GPUDevice;

const withLanguage = (features?: readonly string[]): void => {
  vi.stubGlobal('GPUBufferUsage', {});
  vi.stubGlobal('navigator', { gpu: features ? { wgslLanguageFeatures: new Set(features) } : {} });
};
const DOTS = 'packed_4x8_integer_dot_product';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['a software adapter', 'swiftshader', [DOTS]],
  ['a GPU in a browser without the products', 'nvidia', ['pointer_composite_access']],
  ['a GPU in a browser that names no features', 'nvidia', undefined],
] as const)('%s is not asked for rounded products, and there is no doubt', async (_, vendor, features) => {
  withLanguage(features);
  const asked: string[] = [];
  const device = deviceOf(vendor, asked);
  expect(await trustedProducts(device, 'int8')).toBe('exact');
  expect(await doubtOn(device, 'int8')).toBeNull();
  expect(asked).toEqual([]);
});

test('a GPU that fails the check keeps exact products, and its fault is said; it is checked once', async () => {
  withLanguage([DOTS]);
  const asked: string[] = [];
  const device = deviceOf('nvidia', asked);
  expect(await trustedProducts(device)).toBe('exact');
  expect(await doubtOn(device, 'exact')).toBeNull();
  expect(asked).toEqual([]);
  expect(await trustedProducts(device, 'int8')).toBe('exact');
  expect(await doubtOn(device, 'int8')).toBe(
    'Products of whole numbers are off, because their check failed on this GPU (no memory).',
  );
  expect(asked).toEqual(['buffer']);
});
