import react from '@vitejs/plugin-react';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defaultServerConditions, defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { chunkOrder } from './vite/chunkOrder.ts';
import { contentPolicy } from './vite/contentPolicy.ts';
import { firstPaint } from './vite/firstPaint.ts';
import { initialScript } from './vite/initialScript.ts';
import { isolationHeaders } from './vite/isolationHeaders.ts';
import { simdKernels } from './vite/simdKernels.ts';
import { tfjsWasmThreads } from './vite/tfjsWasmThreads.ts';
import { thirdPartyLicenses } from './vite/thirdPartyLicenses.ts';

const packages = fileURLToPath(new URL('./node_modules', import.meta.url));

/** The Node build of transformers.js needs native packages that we leave out: everything uses its web build. */
export const webModuleAliases = [
  {
    find: /^@huggingface\/transformers$/,
    replacement: `${packages}/@huggingface/transformers/dist/transformers.web.js`,
  },
];

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
const tfjsWasmFiles = (): Plugin =>
  filesBesidePage(
    'wasm',
    '@tensorflow/tfjs-backend-wasm/dist',
    ['', '-simd', '-threaded-simd'].map((variant) => `tfjs-backend-wasm${variant}.wasm`),
  );

/** onnxruntime for the benchmark's transformers.js: the build for the CPU, and the one that also has WebGPU. */
const onnxRuntimeFiles = (): Plugin =>
  filesBesidePage(
    'onnxruntime',
    'onnxruntime-web/dist',
    ['', '.asyncify'].flatMap((variant) =>
      ['mjs', 'wasm'].map((ending) => `ort-wasm-simd-threaded${variant}.${ending}`),
    ),
  );

/**
 * Mantine gives each element that needs an id one of React's, for pages that a server has drawn, and in the browser a random one instead: every
 * field, hint and menu is drawn twice for that. React's do.
 */
function mantineIds(): Plugin {
  const effect = 'setUuid(randomId());';
  return {
    name: 'mantine-ids',
    transform: {
      filter: { id: /@mantine\/hooks\/esm\/use-id\/use-id\.mjs/ },
      handler(code) {
        if (code.split(effect).length !== 2)
          throw new Error(`@mantine/hooks has changed: no single "${effect}".`);
        return { code: code.replace(effect, ''), map: null };
      },
    },
  };
}

/** What the service worker is made of, which is bundled behind the page. */
const WORKBOX = ['workbox-core', 'workbox-precaching', 'workbox-routing', 'workbox-strategies'];

const licenses = thirdPartyLicenses(['@tensorflow/tfjs-backend-wasm', 'onnxruntime-web', ...WORKBOX]);

/** The service worker with the list of what it keeps: all that the page is made of, but for other libraries that the benchmark runs. */
const serviceWorker = VitePWA({
  strategies: 'injectManifest',
  srcDir: 'src/page',
  filename: 'serviceWorker.ts',
  injectRegister: null,
  manifest: false,
  injectManifest: {
    globPatterns: ['index.html', 'favicon.svg', 'assets/**/*.{js,css,wasm}', 'wasm/*.wasm'],
    globIgnores: ['assets/participant-*', 'assets/pageBenchmark-*', 'assets/*.map'],
    // Their names are hashes of what they hold.
    dontCacheBustURLsMatching: /^assets\//,
    maximumFileSizeToCacheInBytes: 4 * 2 ** 20,
  },
});

/** What the first view imports, a file for each of these: a browser runs each in a task of its own. The first that fits takes a module, and what it imports. */
const initialParts = (...parts: readonly (readonly [name: string, test: RegExp])[]) =>
  parts.map(([name, test], i) => ({ name, test, tags: ['$initial' as const], priority: 20 - i }));

/** What every visit needs next: each of these modules in a file, with all that it imports and that is in none before. */
const SOON = {
  recorded: 'page/learn/recorded/play.ts',
  charts: 'page/see/charts/ChartPlot.tsx',
  tfjs: 'engine/backend/tf.ts',
  kernels: 'engine/kernels/selfTest.ts',
  models: 'run/models/namedModels.ts',
  engine: 'page/openEngine.ts',
};

const soonParts = Object.entries(SOON).map(([name, module], i) => ({
  name,
  test: (id: string) => id.endsWith(`/src/${module}`),
  priority: 9 - i,
}));

/**
 * Fewer and larger files: each one that is asked for costs a browser and its server some four milliseconds of processor time, and left to
 * itself the build makes 250 of what a page opens with and then fetches ahead. What the first view imports is a few files; what several lazy
 * parts of the page share is put together by who uses it. All else stays as it falls.
 */
const chunks = {
  groups: [
    ...initialParts(
      ['zod', /node_modules\/zod\//],
      ['react', /node_modules\/(react|react-dom|scheduler)\//],
      ['mantine', /node_modules\/(@mantine|@floating-ui|clsx)\//],
      ['numbers', /src\/(base|tasks\/gym\/(shared|algebra|arithmetic|numbers))\//],
      ['puzzles', /src\/tasks\/gym\/.*\//],
      ['tasks', /src\/tasks\//],
      ['fields', /src\/config\/settings\//],
      ['settings', /src\/config\//],
    ),
    { name: 'initial', tags: ['$initial' as const], priority: 10 },
    ...soonParts,
    // Not by who uses them: merged with files of the page they imported each other in a circle, which `chunkOrder` refuses.
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

/** Under this condition the packages in `src` are taken as they lie there, and not as they are published. */
const SOURCE = '@rl-playground/source';

export default defineConfig({
  base: './',
  // A missing file must answer 404, not the page.
  appType: 'mpa',
  plugins: [
    react(),
    tfjsWasmFiles(),
    onnxRuntimeFiles(),
    tfjsWasmThreads(),
    mantineIds(),
    simdKernels(),
    firstPaint(),
    initialScript(),
    chunkOrder(),
    contentPolicy(),
    licenses.inPage,
    serviceWorker,
  ],
  resolve: {
    alias: webModuleAliases,
    // The page uses only tokenizers: onnxruntime's wasm is fetched, from `onnxruntime/`, by the benchmark alone.
    conditions: [SOURCE, 'onnxruntime-web-use-extern-wasm', ...defaultClientConditions],
  },
  ssr: { resolve: { conditions: [SOURCE, ...defaultServerConditions] } },
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
