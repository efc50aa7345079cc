/**
 * Bundles one TypeScript program, of this folder or another, for Node. Needed because tfjs ships extensionless ES modules and
 * transformers.js is used in its web build: neither loads in bare Node. Aliases come from vite.config.ts.
 */
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Emscripten's glue in tfjs-backend-wasm is CommonJS and asks Node for these names. `var`, because fflate declares `require` too. */
const commonJsNames = `import { createRequire as nodeCreateRequire } from 'node:module';
import { fileURLToPath as nodeFileURLToPath } from 'node:url';
import { dirname as nodeDirname } from 'node:path';
var require = nodeCreateRequire(import.meta.url);
var __filename = nodeFileURLToPath(import.meta.url);
var __dirname = nodeDirname(__filename);`;

/** Our modules keep the address of their source file, so paths relative to it mean the same as under Vitest. */
const sourceAddresses = {
  name: 'source-addresses',
  /** @param {string} code @param {string} id */
  transform(code, id) {
    const [path = id] = id.split('?');
    if (!path.startsWith(root) || path.includes('node_modules') || !code.includes('import.meta.url'))
      return null;
    const address = JSON.stringify(pathToFileURL(path).href);
    return { code: code.replaceAll('import.meta.url', address), map: null };
  },
};

/**
 * @param {string} name `train` for cli/train.ts, `examples/minimalLoop` for examples/minimalLoop.ts
 * @returns {string} absolute path of the program
 */
export function programPath(name) {
  return `${root}${name.includes('/') ? name : `cli/${name}`}.ts`;
}

/**
 * Bundles a program with source maps.
 *
 * @param {string} program as `programPath` takes it
 * @returns {Promise<string>} absolute path of the bundle
 */
export async function bundle(program) {
  const name = basename(program);
  const outDir = `${root}node_modules/.cache/rl-playground/${name}`;
  await build({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: 'warn',
    publicDir: false,
    plugins: [sourceAddresses],
    // Everything goes in, except packages that only serve these programs and load in Node as they are.
    ssr: {
      noExternal: true,
      external: ['vite', '@vitejs/plugin-react', 'vitest', 'playwright', 'commander', 'prettier', 'webgpu'],
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
  return `${outDir}/${name}.mjs`;
}
