/** Devices by their description alone; on real ones products are checked in `kernels/decode/integerProduct.gpu.test.ts`. */
import { afterEach, expect, test, vi } from 'vitest';
import { checkedProducts } from './products.ts';

/** A device that fails at the first buffer. */
const deviceOf = (vendor: string, features: readonly string[], asked: string[]): GPUDevice =>
  ({
    adapterInfo: { vendor, architecture: '', device: '', description: '' },
    features: new Set(features),
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
const HALVES = 'shader-f16';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['a software adapter', 'swiftshader', [DOTS], [HALVES]],
  ['a GPU in a browser without the products', 'nvidia', ['pointer_composite_access'], ['subgroups']],
  ['a GPU in a browser that names no features', 'nvidia', undefined, []],
] as const)(
  '%s is not asked for rounded products, and there is no doubt',
  async (_, vendor, language, own) => {
    withLanguage(language);
    const asked: string[] = [];
    const device = deviceOf(vendor, own, asked);
    for (const products of ['f16', 'int8'] as const) {
      expect(await checkedProducts(device, products)).toEqual({ products: 'exact', doubt: null });
    }
    expect(asked).toEqual([]);
  },
);

test.each([
  ['int8', [DOTS], [], 'Products of whole numbers'],
  ['f16', [], [HALVES], 'Products of half floats'],
] as const)(
  'a GPU that fails the check of %s keeps exact products, and its fault is said; it is checked once',
  async (products, language, own, named) => {
    withLanguage(language);
    const asked: string[] = [];
    const device = deviceOf('nvidia', own, asked);
    expect(await checkedProducts(device)).toEqual({ products: 'exact', doubt: null });
    expect(asked).toEqual([]);
    const failed = {
      products: 'exact',
      doubt: `${named} are off, because their check failed on this GPU (no memory).`,
    };
    expect(await checkedProducts(device, products)).toEqual(failed);
    expect(await checkedProducts(device, products)).toEqual(failed);
    expect(asked).toEqual(['buffer']);
  },
);
