/** Builds the page if `dist/` is missing or older than its sources. */
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { printLine } from '@rl-playground/base/print';
import { isInstalled } from './places.ts';
import { repository, runTool } from './tools.ts';

const SOURCES = [
  'src',
  'docs/glossary.md',
  'public',
  'index.html',
  'vite.config.ts',
  'tsconfig.json',
  'package-lock.json',
];
const TEST_FILE = /\.test\.tsx?$/;

/** The time of the last change below a path, folders included, so that a deleted file counts too. Tests and built packages don't count. */
function lastChange(path: string): number {
  if (basename(path) === 'dist') return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return TEST_FILE.test(path) ? 0 : stat.mtimeMs;
  const below = readdirSync(path).map((name) => lastChange(join(path, name)));
  return Math.max(stat.mtimeMs, ...below);
}

/** True if `dist/` in `root` is there and no source is newer. */
export function isBuilt(root: string = repository): boolean {
  const page = join(root, 'dist', 'index.html');
  if (!existsSync(page)) return false;
  const sources = SOURCES.map((name) => join(root, name)).filter((path) => existsSync(path));
  return Math.max(...sources.map(lastChange)) <= statSync(page).mtimeMs;
}

/**
 * Builds if needed. Output goes to standard output, or to `print`.
 *
 * @throws Error if the build fails; Vite has printed the reason by then.
 */
export async function ensureBuilt(print?: (text: string) => void): Promise<void> {
  if (isInstalled || isBuilt()) return;
  (print ?? printLine)('Building the page …\n');
  const started = new Date();
  // A test that builds would hand on its own kind of environment, for which React makes a larger page.
  const environment = { NODE_ENV: 'production' };
  // Two programs that build at once would mix their files in one folder.
  const built = join(repository, 'node_modules/.cache/rl-playground', `page-${process.pid}`);
  const words = ['build', '--logLevel', 'warn', '--outDir', built];
  try {
    const code = await runTool('vite', words, environment, print);
    if (code !== 0) throw new Error('The page could not be built; the messages above say why.');
    // A source that was changed during the build is newer than the build.
    utimesSync(join(built, 'index.html'), started, started);
    rmSync(join(repository, 'dist'), { recursive: true, force: true });
    renameSync(built, join(repository, 'dist'));
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}
