/** `npm run lab -- guide`: makes the tables of settings, bundled models and memory in docs anew. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES, pagePath, unaligned, withTables } from './guide/pages.ts';
import { printLine } from '@rl-playground/base/print';
import { command, simpleProgram } from '../src/cli/program.ts';
import { repository } from '../src/cli/tools.ts';

const line = () =>
  command(
    'npm run lab -- guide',
    'Makes the tables of settings, bundled models and memory in docs anew from the code, and leaves the rest of the pages as it is.',
    '',
  );

export default simpleProgram(line, () => {
  for (const page of PAGES) {
    const path = join(repository, pagePath(page));
    const before = readFileSync(path, 'utf8');
    const after = withTables(before);
    const stale = unaligned(before) !== unaligned(after);
    if (stale) writeFileSync(path, after);
    printLine(`${pagePath(page)}: ${stale ? 'made anew' : 'as it was'}`);
  }
  execFileSync('npx', ['oxfmt', ...PAGES.map(pagePath)], { cwd: repository, stdio: 'ignore' });
});
