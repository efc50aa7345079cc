/** The limits of a machine, as a file states them. */
import { z } from 'zod';
import type { MemoryLimits } from './types.ts';

export const UNKNOWN_LIMITS: MemoryLimits = {
  maxBufferSize: null,
  maxStorageBufferBindingSize: null,
  gpuBytes: null,
  hostBytes: null,
};

const bytes = z.number().int().positive().nullable().default(null);
const limitsSchema = z.strictObject({
  maxBufferSize: bytes,
  maxStorageBufferBindingSize: bytes,
  gpuBytes: bytes,
  hostBytes: bytes,
});

/** Reads the limits from parsed JSON; those that are left out are not known. Throws on anything but a number of bytes, and on other keys. */
export function parseLimits(json: unknown): MemoryLimits {
  const parsed = limitsSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  );
  throw new Error(
    `${issues.join('; ')}. Limits are an object with any of ${Object.keys(limitsSchema.shape).join(', ')}, in bytes.`,
  );
}

/** Browsers round to it and go no further: a machine that says so may have any amount more. */
const MOST_DEVICE_MEMORY = 8;

/** Bytes; null outside of browsers, and if the browser reports nothing, or no more than that it is a lot. */
export function hostBytesOfPage(): number | null {
  const { navigator } = globalThis as { readonly navigator?: { readonly deviceMemory?: number } };
  const gigabytes = navigator?.deviceMemory ?? Infinity;
  return gigabytes < MOST_DEVICE_MEMORY ? gigabytes * 2 ** 30 : null;
}
