/** `npm run lab -- buildPackage engine`, which `npm pack` calls too: builds a package of `src`, modules and declarations, into its `dist`. */
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { copyDeclarations } from './packages/declarations.ts';
import { buildPackage } from './packages/packageBuild.ts';
import { ensureBuilt } from '../src/cli/build.ts';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from '../src/cli/program.ts';
import { repository, runTool } from '../src/cli/tools.ts';

interface Published {
  readonly page: Readonly<Record<string, string>>;
  readonly node: Readonly<Record<string, string>>;
  /** The entries whose declarations are published. */
  readonly declared: readonly string[];
  /** The folder of the modules for Node in `dist`. */
  readonly nodeFolder: string;
  /** True if the built page is included. */
  readonly withPage?: true;
  readonly renamed?: Readonly<Record<string, string>>;
  /** Files of other packages that lie beside the modules, by their folders there. */
  readonly copied: Readonly<Record<string, { readonly package: string; readonly files: readonly string[] }>>;
}

const TFJS_WASM = {
  package: '@tensorflow/tfjs-backend-wasm',
  files: ['', '-simd', '-threaded-simd'].map((kind) => `dist/tfjs-backend-wasm${kind}.wasm`),
};

const QUICKJS_WASM = {
  package: '@jitl/quickjs-wasmfile-release-sync',
  files: ['dist/emscripten-module.wasm'],
};

/** The files that drive the browser, unchanged, because the package finds its own files. The viewer of traces is left out. */
const PLAYWRIGHT = {
  playwright: {
    package: 'playwright-core',
    files: [
      'LICENSE',
      'NOTICE',
      'ThirdPartyNotices.txt',
      'browsers.json',
      'index.js',
      'index.mjs',
      'lib',
      'package.json',
    ],
  },
};

const LEFT_OUT = /playwright-core\/lib\/(vite|tools)(\/|$)/;

const PUBLISHED: Readonly<Record<string, Published>> = {
  engine: {
    page: { index: 'index.ts' },
    node: { node: 'node.ts' },
    declared: ['index'],
    nodeFolder: 'node',
    copied: { wasm: TFJS_WASM },
  },
  tasks: { page: { index: 'index.ts' }, node: {}, declared: ['index'], nodeFolder: 'node', copied: {} },
  cli: {
    page: {},
    node: { main: 'main.mjs' },
    declared: [],
    nodeFolder: 'program',
    withPage: true,
    renamed: { playwright: '#playwright' },
    copied: { wasm: TFJS_WASM, quickjs: QUICKJS_WASM, ...PLAYWRIGHT },
  },
};

/** The folder into which `tsc -b` puts the declarations of a package. */
const declarations = (name: string): string =>
  join(repository, 'node_modules/.cache/rl-playground/types', name, name);

function copyTypes(name: string, { declared }: Published, outDir: string): void {
  const nodeModules = join(repository, 'node_modules');
  for (const entry of declared)
    copyDeclarations(`${join(declarations(name), entry)}.d.ts`, outDir, {
      roots: { [name]: declarations(name), base: declarations('base'), vendor: nodeModules },
      doorOf: (address) => {
        const [, door] = /^@rl-playground\/base\/(.+)$/.exec(address) ?? [];
        return door === undefined ? null : join(declarations('base'), door);
      },
      nodeModules,
    });
}

/** @throws Error if something can't be built */
export async function buildPublished(name: string): Promise<void> {
  const published = PUBLISHED[name];
  if (published === undefined)
    throw new BadInput(
      `There is no package ${name} that is published; name one of: ${Object.keys(PUBLISHED).join(', ')}.`,
    );
  const root = join(repository, 'src', name);
  const outDir = join(root, 'dist');
  rmSync(outDir, { recursive: true, force: true });
  const copied = Object.values(published.copied).map((each) => each.package);
  const { page, node, nodeFolder, renamed } = published;
  if (Object.keys(page).length > 0)
    await buildPackage({ root, entries: page, outDir, platform: 'page', copied });
  if (Object.keys(node).length > 0)
    await buildPackage({
      root,
      entries: node,
      outDir: join(outDir, nodeFolder),
      platform: 'node',
      copied,
      renamed,
    });
  copyOthers(published, outDir);
  if (
    published.declared.length > 0 &&
    (await runTool('tsc', ['-b', `src/${name}`, '--singleThreaded'])) !== 0
  )
    throw new Error(`The types of ${name} can't be built; the messages above say why.`);
  copyFileSync(join(repository, 'LICENSE'), join(outDir, 'LICENSE'));
  copyTypes(name, published, join(outDir, 'types'));
  if (published.withPage) await copyPage(root, outDir, nodeFolder);
}

/** Files of other packages, as they are. */
function copyOthers({ copied }: Published, outDir: string): void {
  for (const [folder, { package: from, files }] of Object.entries(copied)) {
    mkdirSync(join(outDir, folder), { recursive: true });
    for (const file of files)
      cpSync(join(repository, 'node_modules', from, file), join(outDir, folder, basename(file)), {
        recursive: true,
        filter: (path) => !LEFT_OUT.test(path),
      });
  }
}

/** The built page, and the limits of known machines that `plan` names. */
async function copyPage(root: string, outDir: string, nodeFolder: string): Promise<void> {
  await ensureBuilt();
  cpSync(join(repository, 'dist'), join(outDir, 'site'), { recursive: true });
  cpSync(join(root, 'limits'), join(outDir, nodeFolder, 'limits'), { recursive: true });
}

const line = () =>
  command(
    'npm run lab -- buildPackage',
    'Builds a package that is published into its folder `dist`, as `npm pack` in that folder does.',
    'engine',
  ).argument('<package>', Object.keys(PUBLISHED).join(' or '));

export default simpleProgram(line, async (_: object, [name = '']) => buildPublished(name));
