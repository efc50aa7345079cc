import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defaultServerConditions } from 'vite';

const packages = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** The import condition that takes the packages in `src` from their sources, and not as they are published. */
export const SOURCE = '@rl-playground/source';

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
  conditions: [SOURCE, 'onnxruntime-web-use-extern-wasm', ...defaultClientConditions],
};

/** The same for programs under Node. */
export const nodeBuilds = { resolve: { conditions: [SOURCE, ...defaultServerConditions] } };
