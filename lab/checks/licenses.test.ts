/** The licences beside the built page: of every package in it, workers' packages among them, and the same page from any folder. */
import {
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { build } from 'vite';
import { z } from 'zod';
import { everyProof } from '@rl-playground/base/testing/proofs';
import {
  licenseOf,
  LICENSES_FILE,
  licensesText,
  thirdPartyLicenses,
} from '../../src/page/vite/thirdPartyLicenses.ts';
import { codeOf } from '@rl-playground/run/disk';
import { repository, runTool } from '../../src/cli/tools.ts';

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'rl-playground-licenses-')));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const packages = join(repository, 'node_modules');

/** The titles of packages in the file: `name version (licence)`. */
const titlesIn = (text: string): string[] => text.match(/^\S+ \d\S* \(.+\)$/gm) ?? [];
const namesIn = (text: string): string[] => titlesIn(text).map((title) => title.split(' ')[0] ?? '');

test('packages of the same licence share its text, and one without a known licence is refused', () => {
  const folder = (name: string, manifest: object): string => {
    const path = join(scratch, name);
    mkdirSync(path);
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }));
    return path;
  };
  const [a, b] = ['a', 'b'].map((name) => folder(name, { license: 'MIT', author: 'Somebody' }));
  const text = licensesText([b ?? '', a ?? '']);
  expect(titlesIn(text)).toEqual(['a 1.0.0 (MIT)', 'b 1.0.0 (MIT)']);
  expect(text.match(/Copyright \(c\) Somebody\n\nPermission is hereby granted/g)).toHaveLength(1);
  expect(() => licenseOf(folder('c', { license: 'WTFPL' }))).toThrow('names "WTFPL"');
});

test('packages of the page, of its workers and of copied files are named', async () => {
  const root = join(scratch, 'page');
  mkdirSync(root);
  const put = (name: string, text: string): void => writeFileSync(join(root, name), text);
  put('index.html', '<script type="module" src="./page.ts"></script>');
  put(
    'page.ts',
    `import { lines } from '${packages}/lines-and-columns/build/index.js';
     new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
     console.log(lines);`,
  );
  put('worker.ts', `import { clsx } from '${packages}/clsx/dist/clsx.mjs'; postMessage(clsx('a'));`);
  const licenses = thirdPartyLicenses(['onnxruntime-web']);
  const outDir = join(root, 'dist');
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [licenses.inPage],
    worker: { format: 'es', plugins: () => [licenses.inWorkers()] },
    build: { outDir },
  });
  const names = namesIn(readFileSync(join(outDir, LICENSES_FILE), 'utf8'));
  expect(names).toEqual(expect.arrayContaining(['clsx', 'lines-and-columns', 'onnxruntime-web', 'vite']));
  expect(names).toEqual([...new Set(names)].sort());
});

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error;
    copyFileSync(from, to);
  }
}

/** A tree with the same files, none copied where the disk is the same; without what tools keep there. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === '.cache' || entry.name.startsWith('.vite')) continue;
    if (entry.isDirectory()) linkTree(join(from, entry.name), join(to, entry.name));
    else if (entry.isFile()) linkOrCopy(join(from, entry.name), join(to, entry.name));
  }
}

/** Builds the page in a copy of the repository at `folder`. @returns where it is. */
async function builtIn(folder: string): Promise<string> {
  for (const name of [
    'src',
    'vite',
    'public',
    'index.html',
    'vite.config.ts',
    'tsconfig.json',
    'package.json',
    // The page's glossary is that of the documentation.
    'docs/glossary.md',
  ])
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  linkTree(packages, join(folder, 'node_modules'));
  // Vitest's NODE_ENV would bring in React's build for development.
  const words = ['build', folder, '--logLevel', 'error', '--sourcemap', 'hidden'];
  const code = await runTool('vite', words, { NODE_ENV: 'production' });
  expect(code).toBe(0);
  return join(folder, 'dist');
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => lstatSync(join(folder, name)).isFile())
    .sort();

test('two builds in two folders are equal to the byte, and each package in their source maps is named', async ({
  skip,
}) => {
  if (!everyProof) skip('with PROOFS=all');
  const first = await builtIn(join(scratch, 'one'));
  const second = await builtIn(join(scratch, 'another', 'deeper'));
  const names = filesBelow(first);
  expect(filesBelow(second)).toEqual(names);
  // Maps, which are made for this test alone, name files by where they lie.
  const built = names.filter((name) => !name.endsWith('.map'));
  const bytes = (folder: string, name: string): Buffer => readFileSync(join(folder, name));
  expect(built.filter((name) => !bytes(first, name).equals(bytes(second, name)))).toEqual([]);

  const inMaps = new Set<string>();
  for (const name of names.filter((each) => each.endsWith('.js.map'))) {
    const { sources } = z
      .object({ sources: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(join(first, name), 'utf8')));
    for (const source of sources) {
      const found = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(resolve(dirname(join(first, name)), source));
      if (found?.[1] !== undefined) inMaps.add(found[1]);
    }
  }
  expect(inMaps.size).toBeGreaterThan(50);
  const named = namesIn(readFileSync(join(first, LICENSES_FILE), 'utf8'));
  expect(named).toEqual(expect.arrayContaining([...inMaps]));
});
