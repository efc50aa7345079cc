import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig } from 'vite';

/** The Node build of transformers.js needs native packages that we leave out: everything uses its web build. */
export const webModuleAliases = [
  {
    find: /^@huggingface\/transformers$/,
    replacement: fileURLToPath(
      new URL('./node_modules/@huggingface/transformers/dist/transformers.web.js', import.meta.url),
    ),
  },
];

export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: {
    alias: webModuleAliases,
    // Only tokenizers are used, so the 27 MB of onnxruntime's wasm stay out of the build.
    conditions: ['onnxruntime-web-use-extern-wasm', ...defaultClientConditions],
  },
  worker: { format: 'es' },
  build: { target: 'es2023' },
});
