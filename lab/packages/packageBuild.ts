/**
 * Builds a package of `src` for npm: ES modules with everything that they import inside, so that bare Node, a bundler and a page without
 * one load them. Workers and wasm files lie beside the modules and are named by `new URL('./NAME', import.meta.url)`, which bundlers see.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  build,
  defaultClientConditions,
  defaultServerConditions,
  type InlineConfig,
  type Plugin,
} from 'vite';
import { commonJsNames, moduleAddress } from '../../src/cli/commonJsNames.mjs';
import { simdKernels } from '../../src/page/vite/simdKernels.ts';
import { tfjsWasmThreads } from '../../src/page/vite/tfjsWasmThreads.ts';
import { thirdPartyLicenses } from '../../src/page/vite/thirdPartyLicenses.ts';
import { SOURCE } from '../../src/page/vite/webBuilds.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

export interface PackageBuild {
  /** Absolute path of the package. */
  readonly root: string;
  /** Files of the package by the names of the modules that are built of them. */
  readonly entries: Readonly<Record<string, string>>;
  /** Absolute path of the folder. */
  readonly outDir: string;
  readonly platform: 'page' | 'node';
  /** Packages of which files are copied beside the modules. */
  readonly copied: readonly string[];
  /** Modules that are imported under another name, which package.json's `imports` says where to find. */
  readonly renamed?: Readonly<Record<string, string>>;
}

const NAMED_BESIDE = /new URL\(\s*['"]((?:\.\/)?[\w./-]+)['"],\s*import\.meta\.url,?\s*\)/g;
const PLACE = /__BESIDE_(\w+)__/g;

/**
 * Keeps workers and wasm files as files beside the modules. A worker becomes a module of this build that shares its parts with the others;
 * Vite would bundle every worker whole, and would look for wasm files that are copied later. So the plug-in hides their names from Vite until
 * the modules are written.
 */
function filesBeside(workers: boolean): Plugin {
  const names = new Map<string, string>();
  const placeOf = (name: string): string => {
    const key = createHash('sha256').update(name).digest('hex').slice(0, 12);
    names.set(key, name);
    return `__BESIDE_${key}__`;
  };
  return {
    name: 'files-beside',
    enforce: 'pre',
    resolveId: {
      filter: { id: /\.wasm\?url$|\/wasm\?url$/ },
      async handler(id, importer) {
        const found = await this.resolve(id.replace(/\?url$/, ''), importer, { skipSelf: true });
        return found && `\0${found.id}?address`;
      },
    },
    load: {
      filter: { id: /\?address$/ },
      handler(id) {
        const path = id.slice(1, -'?address'.length);
        const name = basename(path);
        this.emitFile({ type: 'asset', fileName: name, source: readFileSync(path) });
        return `export default new URL(${placeOf(`./${name}`)}, ${moduleAddress}).href;`;
      },
    },
    transform: {
      filter: { code: /import\.meta\.url/ },
      handler(code, id) {
        const changed = code.replaceAll(NAMED_BESIDE, (_, named: string) => {
          const name = `./${named.replace(/^\.\//, '')}`;
          const module = name.replace(/\.ts$/, '.js');
          if (workers && module !== name)
            this.emitFile({ type: 'chunk', id: join(dirname(id), name), fileName: module.slice(2) });
          return `new URL(${placeOf(module)}, ${moduleAddress})`;
        });
        return changed === code ? null : { code: changed, map: null };
      },
    },
    renderChunk(code) {
      // The build names each module's file in a comment.
      const named = code
        .replaceAll(PLACE, (_, key: string) => JSON.stringify(names.get(key)))
        .replaceAll(repository, '');
      return named === code ? null : { code: named, map: null };
    },
  };
}

function otherNames(renamed: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'other-names',
    enforce: 'pre',
    resolveId(id) {
      const name = renamed[id];
      return name === undefined ? null : { id: name, external: true };
    },
  };
}

const entriesIn = (root: string, entries: PackageBuild['entries']): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)]));

/** @throws Error if a module can't be built */
export async function buildPackage({
  root,
  entries,
  outDir,
  platform,
  copied,
  renamed = {},
}: PackageBuild): Promise<void> {
  const inNode = platform === 'node';
  const shared: InlineConfig = {
    root: repository,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [
      otherNames(renamed),
      filesBeside(!inNode),
      tfjsWasmThreads(),
      simdKernels(),
      thirdPartyLicenses(copied, inNode ? 'server' : 'client').inPage,
    ],
    resolve: { conditions: [SOURCE, ...defaultClientConditions] },
    ssr: { noExternal: true, resolve: { conditions: [SOURCE, ...defaultServerConditions] } },
  };
  await build({
    ...shared,
    build: {
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'es2023',
      ...(inNode && { ssr: true }),
      lib: { entry: entriesIn(root, entries), formats: ['es'] },
      rolldownOptions: {
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          ...(inNode && { banner: commonJsNames }),
        },
      },
    },
  });
}
