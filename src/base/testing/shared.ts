/**
 * Reference data beside the repository, in `../shared`. A clone without that folder skips the tests that need it, and
 * says so.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

/** The absolute path of a file or folder under `../shared`, or null if it is missing. */
export function sharedPath(relative: string): string | null {
  const path = fileURLToPath(new URL(`../../../../shared/${relative}`, import.meta.url));
  return existsSync(path) ? path : null;
}

/**
 * A describe block that needs `../shared/<relative>`. Without it the block is skipped with a message, or fails when
 * REQUIRE_SHARED=1 (set by `.ci/run`), so that a missing folder can't pass for green.
 */
export function describeShared(name: string, relative: string, body: (path: string) => void): void {
  const path = sharedPath(relative);
  if (path !== null) {
    describe(name, () => body(path));
    return;
  }
  if (process.env['REQUIRE_SHARED'] === '1')
    throw new Error(`${name}: needs ../shared/${relative}, which is absent.`);
  describe.skip(`${name} (skipped: reference data ../shared/${relative} is not in this clone)`, () =>
    body(''));
}
