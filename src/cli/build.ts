/** Builds the page, or a page of the lab, if it is missing or was built from other sources. */
import { renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { printLine } from '@rl-playground/base/print';
import { isBuilt, PAGE_BUILD, type Build } from './builds.ts';
import { isInstalled } from './places.ts';
import { repository, runTool } from './tools.ts';

/**
 * Builds the page, or another `build`, if needed. Output goes to standard output, or to `print`.
 *
 * @throws Error if the build fails; Vite has printed the reason by then.
 */
export async function ensureBuilt(print?: (text: string) => void, build: Build = PAGE_BUILD): Promise<void> {
  if (isInstalled || isBuilt(build)) return;
  const folder = join(repository, build.folder);
  (print ?? printLine)('Building the page …\n');
  // A test that builds would hand on its own kind of environment, for which React makes a larger page.
  const environment = { NODE_ENV: 'production' };
  // Two programs that build at once would mix their files in one folder.
  const draft = join(repository, 'node_modules/.cache/rl-playground', `${basename(folder)}-${process.pid}`);
  const words = ['build', '--config', build.config, '--logLevel', 'warn', '--emptyOutDir', '--outDir', draft];
  try {
    const code = await runTool('vite', words, environment, print);
    if (code !== 0) throw new Error('The page could not be built; the messages above say why.');
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
