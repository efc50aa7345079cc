import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { PAGE_BUILD, STATE_FILE, stateOfBuild } from './src/cli/builds.ts';
import { builtFrom } from './src/page/vite/builtFrom.ts';
import manifest from './package.json' with { type: 'json' };
import { contentPolicy } from './src/page/vite/contentPolicy.ts';
import { onnxRuntimeFiles, tfjsWasmFiles } from './src/page/vite/filesBesidePage.ts';
import { isolationHeaders } from './src/base/isolationHeaders.ts';
import { simdKernels } from './src/page/vite/simdKernels.ts';
import { tfjsWasmThreads } from './src/page/vite/tfjsWasmThreads.ts';
import { thirdPartyLicenses } from './src/page/vite/thirdPartyLicenses.ts';
import { nodeBuilds, webBuilds } from './src/page/vite/webBuilds.ts';

/** What the service worker is made of, which is bundled behind the page. */
const WORKBOX = ['workbox-core', 'workbox-precaching', 'workbox-routing', 'workbox-strategies'];

const licenses = thirdPartyLicenses(['@tensorflow/tfjs-backend-wasm', 'onnxruntime-web', ...WORKBOX]);

/** The service worker with the list of what it keeps: all that the page is made of. */
const serviceWorker = VitePWA({
  strategies: 'injectManifest',
  srcDir: 'src/page',
  filename: 'serviceWorker.ts',
  injectRegister: null,
  manifest: false,
  injectManifest: {
    globPatterns: ['index.html', 'favicon.svg', 'assets/**/*.{js,css,wasm}', 'wasm/*.wasm'],
    // Whoever rewards by a ready model fetches its worker and onnxruntime, which are kept from then on.
    globIgnores: ['assets/*.map', 'assets/rewardWorker-*'],
    // Their names are hashes of what they hold.
    dontCacheBustURLsMatching: /^assets\//,
    maximumFileSizeToCacheInBytes: 4 * 2 ** 20,
  },
});

/** What every visit needs next: each of these modules in a file, with all that it imports and that is in none before. */
const soonParts = [
  { name: 'recorded', test: /src\/page\/learn\/recorded\/play\.ts/, priority: 9 },
  { name: 'engine', test: /src\/page\/openEngine\.ts/, priority: 8 },
];

/**
 * Fewer and larger files: each one that is asked for costs a browser and its server some four milliseconds of processor time, and left to
 * itself the build makes 250 of what a page opens with and then fetches ahead. What the first view imports is one file; what several lazy parts
 * of the page share is put together by who uses it. All else stays as it falls.
 */
const chunks = {
  groups: [
    { name: 'initial', tags: ['$initial' as const], priority: 10 },
    ...soonParts,
    // Not by who uses them: merged with files of the page they imported each other in a circle, and then the order in which they are fetched
    // decides whether they run. A test refuses that (e2e/firstVisit.spec.ts).
    { name: 'components', test: /@mantine|@floating-ui|@tabler|clsx/, minShareCount: 2, priority: 2 },
    {
      name: 'shared',
      test: /src\/page\//,
      includeDependenciesRecursively: false,
      minShareCount: 2,
      entriesAware: true,
      // More than all of it: cut into two, its files imported each other in a circle.
      entriesAwareMergeThreshold: 200_000,
      priority: 1,
    },
  ],
};

/** The address of the source for people, from that for git. */
const source = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');

export default defineConfig({
  base: './',
  define: { 'import.meta.env.SOURCE_ADDRESS': JSON.stringify(source) },
  // A missing file must answer 404, not the page.
  appType: 'mpa',
  plugins: [
    react(),
    tfjsWasmFiles(),
    onnxRuntimeFiles(),
    tfjsWasmThreads(),
    simdKernels(),
    contentPolicy(),
    licenses.inPage,
    serviceWorker,
    builtFrom(STATE_FILE, () => stateOfBuild(PAGE_BUILD)),
  ],
  resolve: webBuilds,
  ssr: nodeBuilds,
  worker: { format: 'es', plugins: () => [tfjsWasmThreads(), simdKernels(), licenses.inWorkers()] },
  // Dependencies that the dev server bundles ahead do not pass through `plugins`.
  optimizeDeps: { rolldownOptions: { plugins: [tfjsWasmThreads()] } },
  server: { headers: isolationHeaders },
  preview: { headers: isolationHeaders },
  build: {
    target: 'es2023',
    chunkSizeWarningLimit: 900,
    cssCodeSplit: false,
  },
  // Not of programs for Node: one that awaits at its top level would wait for a part that waits for it.
  environments: { client: { build: { rolldownOptions: { output: { codeSplitting: chunks } } } } },
});
