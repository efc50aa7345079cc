/**
 * The packages as npm packs them, in a folder that has nothing of this repository but them and the example: the command line trains, the
 * example's types hold, and it trains under bare Node, in a page without a bundler, and in one that Vite built.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TEST_PATIENCE } from '@rl-playground/base/testing/patience';
import { findBrowser, launchArguments } from '../src/cli/browser.ts';
import { serve, type ServedPage } from '../src/cli/serve.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rl-playground-packages-'));
const tarballs = join(folder, 'tarballs');
const LINES = /^held-out reward -?\d\.\d{3}\nstep 1 {2}reward -?\d\.\d{3}\nheld-out reward -?\d\.\d{3}\n/;
const QUERY = '?model=./starter&steps=1';

/** The output of a program. Its environment is that of a person's shell, without variables of npm or of the tests. */
function printed(cwd: string, program: string, ...words: readonly string[]): string {
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VITEST|NODE_ENV|INIT_CWD)/.test(name),
  );
  const run = spawnSync(program, words, { cwd, encoding: 'utf8', env: Object.fromEntries(environment) });
  if (run.status !== 0) throw new Error(`${program} ${words.join(' ')}: ${run.stdout}${run.stderr}`);
  return run.stdout;
}

let browser: Browser;
const hosts: ServedPage[] = [];

/** The lines that the example prints in a page of a served folder. */
async function saidInPage(root: string, file: string): Promise<string> {
  // As a static host does, without headers of isolation.
  const host = await serve({ port: 0, isolated: false, folder: root });
  hosts.push(host);
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${host.url}${file}${QUERY}`);
  await page.locator('#said', { hasText: /done|failed/ }).waitFor({ timeout: TEST_PATIENCE });
  const said = await page.locator('#said').textContent();
  await page.close();
  expect(errors).toEqual([]);
  return said ?? '';
}

beforeAll(async () => {
  mkdirSync(tarballs);
  for (const name of ['engine', 'tasks', 'cli'])
    printed(join(repository, 'src', name), 'npm', 'pack', '--pack-destination', tarballs);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  printed(folder, 'npm', 'install', '--offline', ...files);
  for (const name of ['minimalLoop.ts', 'inPage.ts', 'page.html'])
    cpSync(join(repository, 'examples', name), join(folder, name));
  cpSync(join(folder, 'node_modules/rl-playground/dist/site/models/starter'), join(folder, 'starter'), {
    recursive: true,
  });
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['inPage.ts'] }));
  printed(folder, process.execPath, join(repository, 'node_modules/typescript/bin/tsc'), '-p', '.');
  const executablePath = findBrowser();
  browser = await chromium.launch({
    ...(executablePath !== null && { executablePath }),
    args: launchArguments('none'),
  });
});

afterAll(async () => {
  await browser?.close();
  for (const host of hosts) await host.close();
  rmSync(folder, { recursive: true, force: true });
});

test('they hold what they import, and the notices of what is in them', () => {
  for (const name of ['engine', 'tasks']) {
    const root = join(folder, 'node_modules/@rl-playground', name);
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies?: object;
    };
    expect(dependencies).toBeUndefined();
    const files = readdirSync(join(root, 'dist'));
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'THIRD_PARTY_LICENSES.txt', 'index.js']));
    expect(readFileSync(join(root, 'dist/index.js'), 'utf8')).not.toContain(repository);
  }
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@rl-playground',
    'rl-playground',
  ]);
});

test('the command line trains on the page that it brings along, and lists what else it does', () => {
  const words = ['train', '--num-steps', '2', '--eval-samples', '4', '--json', 'run.json'];
  expect(printed(folder, 'npx', 'rl-playground', ...words)).toContain(
    'Training sum_digits: 2 steps of 192 answers.',
  );
  const { steps, curve } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as {
    steps: number;
    curve: unknown[];
  };
  expect([steps, curve.length]).toEqual([2, 2]);
  expect(printed(folder, 'npx', 'rl-playground', '--help')).toMatch(/^Usage: npx rl-playground NAME/);
});

test('no file of the packages names a folder of this machine', () => {
  const files = ['@rl-playground/engine', '@rl-playground/tasks', 'rl-playground'].flatMap((name) =>
    readdirSync(join(folder, 'node_modules', name), { recursive: true, withFileTypes: true }),
  );
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => readFileSync(path).includes(repository))).toEqual([]);
});

test('the example trains under bare Node', () => {
  const program = `import { minimalLoop } from './minimalLoop.js';
await minimalLoop({ model: './starter', steps: 1, loss: 'custom', seed: 0, say: (line) => console.log(line) });`;
  writeFileSync(join(folder, 'program.js'), program);
  expect(printed(folder, process.execPath, 'program.js')).toMatch(LINES);
});

test('and in a page without a bundler, from a static host', async () => {
  expect(await saidInPage(folder, 'page.html')).toMatch(new RegExp(`${LINES.source}done\n$`));
});

test('and in a page that Vite built', async () => {
  const root = join(folder, 'vite');
  mkdirSync(root);
  const page = readFileSync(join(folder, 'page.html'), 'utf8').replace(
    /<script type="importmap">[^]*?<\/script>/,
    '',
  );
  writeFileSync(join(root, 'index.html'), page);
  for (const name of ['minimalLoop.ts', 'inPage.ts']) cpSync(join(folder, name), join(root, name));
  const html = readFileSync(join(root, 'index.html'), 'utf8').replace('./inPage.js', './inPage.ts');
  writeFileSync(join(root, 'index.html'), html);
  // Workers that share modules are modules themselves.
  writeFileSync(join(root, 'vite.config.js'), "export default { worker: { format: 'es' } };\n");
  printed(root, process.execPath, join(repository, 'node_modules/vite/bin/vite.js'), 'build');
  cpSync(join(folder, 'starter'), join(root, 'dist/starter'), { recursive: true });
  expect(await saidInPage(join(root, 'dist'), 'index.html')).toMatch(new RegExp(`${LINES.source}done\n$`));
});
