import { afterEach, expect, it, vi } from 'vitest';
import { compileKernels } from './simd.ts';

afterEach(() => vi.unstubAllGlobals());

it('says which browsers are new enough where this one cannot inflate', async () => {
  vi.stubGlobal('DecompressionStream', undefined);
  await expect(compileKernels(false, false)).rejects.toThrow(
    'from Chrome 103, Firefox 113 and Safari 16.4 on',
  );
  const refuse = (format: string): never => {
    throw new TypeError(`Unsupported compression format: '${format}'`);
  };
  vi.stubGlobal('DecompressionStream', vi.fn(refuse));
  await expect(compileKernels(true, true)).rejects.toThrow('from Chrome 103, Firefox 113 and Safari 16.4 on');
});
