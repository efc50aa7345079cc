/** Builds the page in which the benchmark runs: this project's own parts as the app has them, and its peers. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { onnxRuntimeFiles, tfjsWasmFiles } from '../../src/page/vite/filesBesidePage.ts';
import { simdKernels } from '../../src/page/vite/simdKernels.ts';
import { tfjsWasmThreads } from '../../src/page/vite/tfjsWasmThreads.ts';
import { webBuilds } from '../../src/page/vite/webBuilds.ts';
import { builtFrom } from '../../src/page/vite/builtFrom.ts';
import { STATE_FILE, stateOfBuild } from '../../src/cli/builds.ts';
import { BENCH_BUILD } from './benchBuild.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  publicDir: false,
  plugins: [
    tfjsWasmFiles(),
    onnxRuntimeFiles(),
    tfjsWasmThreads(),
    simdKernels(),
    builtFrom(STATE_FILE, () => stateOfBuild(BENCH_BUILD)),
  ],
  resolve: webBuilds,
  worker: { format: 'es', plugins: () => [tfjsWasmThreads(), simdKernels()] },
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 2000,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
