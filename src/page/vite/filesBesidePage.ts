/** Files of packages that a page fetches by name. */
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Files of a package that are fetched by name, served and built beside the page under `route/`. */
function filesBesidePage(route: string, from: string, names: readonly string[]): Plugin {
  const folder = `${packages}/${from}`;
  return {
    name: `files-beside-page-${route}`,
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = request.url?.split('?')[0] ?? '';
        const name = names.find((candidate) => path.endsWith(`/${route}/${candidate}`));
        if (name === undefined) return next();
        response.setHeader('Content-Type', name.endsWith('.wasm') ? 'application/wasm' : 'text/javascript');
        response.setHeader('Content-Length', statSync(`${folder}/${name}`).size);
        createReadStream(`${folder}/${name}`).pipe(response);
      });
    },
    generateBundle() {
      if (this.environment.config.consumer !== 'client') return;
      for (const name of names) {
        const source = readFileSync(`${folder}/${name}`);
        this.emitFile({ type: 'asset', fileName: `${route}/${name}`, source });
      }
    },
  };
}

/** The three builds of tfjs' wasm backend. */
export const tfjsWasmFiles = (): Plugin =>
  filesBesidePage(
    'wasm',
    '@tensorflow/tfjs-backend-wasm/dist',
    ['', '-simd', '-threaded-simd'].map((variant) => `tfjs-backend-wasm${variant}.wasm`),
  );

/** onnxruntime for transformers.js: the build for the CPU, and the one that also has WebGPU. */
export const onnxRuntimeFiles = (): Plugin =>
  filesBesidePage(
    'onnxruntime',
    'onnxruntime-web/dist',
    ['', '.asyncify'].flatMap((variant) =>
      ['mjs', 'wasm'].map((ending) => `ort-wasm-simd-threaded${variant}.${ending}`),
    ),
  );
