/** Builds of a repository that was carried elsewhere are kept, and those of which a source holds something else are not. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isBuilt, STATE_FILE, stateOfBuild, type Build } from '../../src/cli/builds.ts';
import { repository } from '../../src/cli/tools.ts';

const BUILD: Build = { folder: 'dist', config: '', sources: ['src', 'index.html', 'absent'] };
let folder = '';
let root = '';

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rl-playground-build-'));
  root = join(folder, 'here');
  put('src/main.ts', 'one');
  put('index.html', 'page');
  put(`dist/${STATE_FILE}`, stateOfBuild(BUILD, root));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a copy with times of its own is built', () => {
  const copy = join(folder, 'elsewhere');
  cpSync(root, copy, { recursive: true });
  expect(isBuilt(BUILD, copy)).toBe(true);
});

test.each<[string, () => void]>([
  ['nothing is there', () => rmSync(join(root, 'dist'), { recursive: true })],
  ['a source was changed, and is as long as before', () => put('src/main.ts', 'two')],
  ['a source was added', () => put('src/more.ts', '')],
  ['a source was deleted', () => rmSync(join(root, 'index.html'))],
  ['a source was renamed', () => renameSync(join(root, 'src/main.ts'), join(root, 'src/start.ts'))],
  ['text went from one source to the next', () => (put('index.html', 'pageo'), put('src/main.ts', 'ne'))],
])('it is not built where %s', (_, change) => {
  change();
  expect(isBuilt(BUILD, root)).toBe(false);
});

test('tests, and what Python and packages leave beside sources, do not count', () => {
  put('src/main.test.ts', 'test');
  put('src/__pycache__/serve.pyc', 'bytes');
  put('src/dist/index.js', 'built');
  expect(isBuilt(BUILD, root)).toBe(true);
});

test('a program runs where it was carried to, without what bundled it, and finds the files there', () => {
  for (const name of ['run.mjs', 'bundle.mjs', 'asProcess.mjs', 'commonJsNames.mjs', 'sourceState.mjs'])
    cpSync(join(repository, 'src/cli', name), join(root, 'src/cli', name));
  put('src/cli/say it.ts', "console.log(import.meta.url, new URL('./text.txt', import.meta.url).pathname);");
  put('vite.config.ts', 'export default {};');
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(join(repository, 'node_modules/vite'), join(root, 'node_modules/vite'));
  const run = (where: string): string =>
    execFileSync(process.execPath, [join(where, 'src/cli/run.mjs'), 'say it'], { encoding: 'utf8' });
  const said = (where: string): string => `file://${where}/src/cli/say%20it.ts ${where}/src/cli/text.txt\n`;
  expect(run(root)).toBe(said(root));

  const copy = join(folder, 'elsewhere');
  renameSync(root, copy);
  rmSync(join(copy, 'node_modules/vite'));
  expect(run(copy)).toBe(said(copy));

  rmSync(join(copy, 'node_modules'), { recursive: true });
  expect(() => run(copy)).toThrow('has no folder node_modules: run npm ci there first');
});
