import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

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
  worker: { format: 'es' },
  build: { target: 'es2023' },
});
