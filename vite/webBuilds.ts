import { fileURLToPath } from 'node:url';
import { defaultClientConditions } from 'vite';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

/**
 * The Node build of transformers.js needs native packages that we leave out: everything uses its web build. onnxruntime's wasm is no part of
 * a bundle; what runs it fetches it.
 */
export const webBuilds = {
  alias: [
    {
      find: /^@huggingface\/transformers$/,
      replacement: `${packages}/@huggingface/transformers/dist/transformers.web.js`,
    },
  ],
  conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions],
};
