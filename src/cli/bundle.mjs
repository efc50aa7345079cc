/**
 * Bundles one TypeScript program, of this folder or another, for Node. It is needed because tfjs ships extensionless ES modules and
 * transformers.js is used in its web build: neither loads in bare Node. Aliases come from vite.config.ts.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commonJsNames } from './commonJsNames.mjs';
import { stateOf } from './sourceState.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The sources of a bundle. */
const SOURCES = ['src', 'lab', 'examples', 'vite.config.ts', 'tsconfig.json', 'package-lock.json'];
/** The number of bundles of one program that are kept: a process that runs an earlier one may still load parts of it. */
const KEPT = 4;

/**
 * Our modules keep the address of their source file, so paths relative to it mean the same as under Vitest. It is told from the bundle, so
 * that both can be carried to another place.
 *
 * @param {string} outDir the folder of the bundle and all its parts
 */
const sourceAddresses = (outDir) => ({
  name: 'source-addresses',
  /** @param {string} code @param {string} id */
  transform(code, id) {
    const [path = id] = id.split('?');
    if (!path.startsWith(root) || path.includes('node_modules') || !code.includes('import.meta.url'))
      return null;
    const steps = relative(outDir, path).replaceAll('\\', '/');
    const address = `new URL(${JSON.stringify(encodeURI(steps))}, import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', address), map: null };
  },
});

/**
 * @param {string} name `train` for src/cli/train.ts, `examples/minimalLoop` for examples/minimalLoop.ts
 * @returns {string} absolute path of the program
 */
export function programPath(name) {
  return `${root}${name.includes('/') ? name : `src/cli/${name}`}.ts`;
}

/**
 * Bundles a program with source maps, or finds the bundle that was made since the sources last changed.
 *
 * @param {string} program as `programPath` takes it
 * @returns {Promise<string>} absolute path of the bundle
 */
export async function bundle(program) {
  const name = basename(program);
  const folder = `${root}node_modules/.cache/rl-playground/programs/${name}/${stateOf(root, SOURCES)}`;
  if (existsSync(folder)) {
    const now = new Date();
    utimesSync(folder, now, now);
  } else {
    // Several processes may need it at once: each makes its own, and the first that is whole stays.
    const draft = `${folder}.${process.pid}`;
    await build(program, draft);
    try {
      renameSync(draft, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error;
      rmSync(draft, { recursive: true });
    }
    forgetOld(dirname(folder));
  }
  return `${folder}/${name}.mjs`;
}

/** A folder that is being written: the state behind it the number of its process. */
const DRAFT = /\.(\d+)$/;

/** True if a process of this number runs. @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

/** The time of the last change; 0 if another process has just removed it. @param {string} path */
function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Keeps the newest bundles of a program, and the drafts that processes are writing. @param {string} folder */
function forgetOld(folder) {
  const names = readdirSync(folder);
  for (const name of names) {
    const [, pid] = DRAFT.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
  const byAge = names
    .filter((name) => !DRAFT.test(name))
    .map((name) => ({ path: join(folder, name), time: timeOf(join(folder, name)) }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}

/** @param {string} program @param {string} outDir */
async function build(program, outDir) {
  const name = basename(program);
  mkdirSync(outDir, { recursive: true });
  const vite = await import('vite');
  await vite.build({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: 'error',
    publicDir: false,
    plugins: [sourceAddresses(outDir)],
    // Everything goes in, except packages that only serve these programs and load in Node as they are.
    ssr: {
      noExternal: true,
      external: ['vite', '@vitejs/plugin-react', 'vitest', 'playwright', 'commander', 'webgpu'],
    },
    build: {
      ssr: programPath(program),
      outDir,
      emptyOutDir: true,
      minify: false,
      sourcemap: true,
      target: 'node20',
      rolldownOptions: {
        output: { entryFileNames: `${name}.mjs`, chunkFileNames: '[name]-[hash].mjs', banner: commonJsNames },
      },
    },
  });
}
