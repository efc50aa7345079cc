/** The budgets of the packages in lines of source. A change that brings a capability raises its line in a commit of its own. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../../src/cli/tools.ts';
import BUDGETS from './budgets.json' with { type: 'json' };

const SOURCE = /\.(ts|tsx|css|py|mjs|html)$/;
const NOT_COUNTED = /\.(test|suite|spec)\.|\/testing\//;

/** Lines of source below a folder, as git knows it: without tests, suites and what is for tests alone. */
function linesOf(folder: string): number {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', folder];
  const names = execFileSync('git', words, { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 });
  const counted = names.split('\0').filter((name) => SOURCE.test(name) && !NOT_COUNTED.test(name));
  return counted.reduce(
    (sum, name) => sum + readFileSync(join(repository, name), 'utf8').split('\n').length - 1,
    0,
  );
}

test.each(Object.entries(BUDGETS))('%s has at most %i lines', (folder, most) => {
  const lines = linesOf(folder);
  expect(lines).toBeGreaterThan(0);
  expect(lines).toBeLessThanOrEqual(most);
});
