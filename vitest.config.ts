import { playwright } from '@vitest/browser-playwright';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { findBrowser, launchArguments } from './src/cli/browser.ts';
import { TEST_PATIENCE } from './src/base/testing/patience.ts';

const root = fileURLToPath(new URL('.', import.meta.url));
const executablePath = findBrowser();

/** A page can't list a folder, so the tests in the browser are told what lies beside the repository: folders below one, by their paths. */
function foldersBelow(path: string): { folder: string; names: string[] } | null {
  const folder = fileURLToPath(new URL(`../shared/${path}`, import.meta.url));
  if (!existsSync(folder)) return null;
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  return { folder, names: folders.map((entry) => relative(folder, join(entry.parentPath, entry.name))) };
}

/** Tests in Node. */
const inNode = {
  extends: './vite.config.ts',
  // tfjs has no `exports`: without this its CommonJS and ES builds would both load, two engines in one test.
  ssr: { resolve: { mainFields: ['module', 'main'] } },
};
const inNodeTest = {
  environment: 'node' as const,
  // tfjs ships extensionless ES modules, which bare Node can't resolve.
  server: { deps: { inline: [/@tensorflow/, /@huggingface/, /seedrandom/] } },
  setupFiles: 'src/tasks/testing/unitSetup.ts',
  testTimeout: TEST_PATIENCE,
  hookTimeout: TEST_PATIENCE,
  maxWorkers: 2,
};

/**
 * Files with a process of their own: other libraries, and a window that stands for a page, change what the whole process has, and tests of missing rows need tasks that
 * nobody has given any.
 */
const alone = [
  'src/page/keep/settingsFile/tinkerPreset.test.ts',
  'lab/bench/peers.test.ts',
  'src/run/data/taskRows.test.ts',
  'src/cli/dataWords.test.ts',
];

/** Files whose subject is the order in which programs get on: machines that join and leave, leases, servers and programs that are killed. They run alone, behind the rest. */
const protocols = [
  'src/cli/join*.test.ts',
  'src/cli/strangers.test.ts',
  'src/cli/sweep.test.ts',
  'src/cli/track.test.ts',
  'src/cli/trackersBeside.test.ts',
];

/** The packages as npm installs them, which need the built page. */
const PACKAGES = 'examples/packages.test.ts';

/** Tests in a real browser, because only there is a WebGPU that people will meet. */
const inBrowser = {
  extends: './vite.config.ts',
  // Found one by one they would be bundled again in mid-run, and the page reloaded under a test.
  optimizeDeps: {
    include: [
      '@huggingface/transformers',
      '@jax-js/jax',
      '@jitl/quickjs-wasmfile-release-sync',
      '@tensorflow/tfjs',
      '@tensorflow/tfjs-backend-wasm',
      '@tensorflow/tfjs-backend-webgpu',
      '@tensorflow/tfjs-core',
      '@tensorflow/tfjs-core/dist/register_all_gradients',
      'protobufjs/minimal.js',
      'pure-rand/distribution/uniformFloat64',
      'pure-rand/generator/xoroshiro128plus',
      'quickjs-emscripten-core',
      'sucrase',
      'zod',
    ],
  },
  // Reference models lie beside the repository.
  server: { fs: { allow: [root, `${root}../shared`] } },
};
/** Files that Vitest runs before the tests of a page. */
const PAGE_SETUP = ['src/tasks/gym/words/wordData.ts', 'src/engine/testing/keptPipelines.ts'];
const PROMISED_LIMITS = 'src/engine/testing/promisedLimits.ts';
/** Made anew for each project: Vitest writes their names into it. */
const inBrowserTest = () => ({
  testTimeout: TEST_PATIENCE,
  hookTimeout: TEST_PATIENCE,
  fileParallelism: false,
  setupFiles: PAGE_SETUP,
  provide: {
    referenceModels: foldersBelow('refdata/models'),
    huggingFaceModels: foldersBelow('refdata/hf'),
    requireShared: process.env['REQUIRE_SHARED'] === '1',
    everyCase: process.env['KERNELS'] === 'all',
  },
  browser: {
    enabled: true,
    headless: true,
    screenshotFailures: false,
    provider: playwright({
      launchOptions: {
        ...(executablePath === null ? {} : { executablePath }),
        args: launchArguments('webgpu'),
      },
    }),
    instances: [{ browser: 'chromium' as const }],
  },
});

/** Files that need a page of their own: they choose the threads of the wasm backend or the limits of a device, end its device or count what it holds. */
const ownPage = [
  'src/engine/backend/deviceHealth.gpu.test.ts',
  'src/engine/backend/dispatch.gpu.test.ts',
  'src/engine/backend/simd.gpu.test.ts',
  'src/engine/backend/start.gpu.test.ts',
  'lab/bench/peers.gpu.test.ts',
  'lab/bench/peers/transformers/participant.gpu.test.ts',
  'src/engine/kernels/threads.gpu.test.ts',
  'src/engine/model/defaultLimits.gpu.test.ts',
  'src/engine/rollout/sharedBase.gpu.test.ts',
  'src/engine/update/memory.gpu.test.ts',
  'src/run/plan/plan.gpu.test.ts',
  'src/run/session/recovery.gpu.test.ts',
];

/** Files of which a software adapter runs no test, unless it is asked for every case. */
const forHardware = [
  'lab/bench/peers.gpu.test.ts',
  'src/run/plan/plan.gpu.test.ts',
  'src/run/session/recovery.gpu.test.ts',
];
/** False where there is surely no GPU: Linux has a device for each. Then nobody opens pages for the files above. */
const mayHaveGpu =
  process.platform !== 'linux' || ['/dev/dri', '/dev/nvidiactl', '/dev/dxg'].some((path) => existsSync(path));
const leftOut = mayHaveGpu || process.env['KERNELS'] === 'all' ? [] : forHardware;

/** Of the tests on WebGPU, those that need no page. */
const WGPU_FILES = [
  'src/engine/kernels/kernels.gpu.test.ts',
  'src/engine/kernels/decode/*.gpu.test.ts',
  'src/engine/kernels/selfAttention/*.gpu.test.ts',
  'src/engine/rollout/gpu/sample.gpu.test.ts',
  'src/engine/rollout/gpu/frozenWeights.gpu.test.ts',
  'src/engine/loss/lossGradients.gpu.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        ...inNode,
        test: {
          ...inNodeTest,
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: ['**/*.gpu.test.ts', ...alone, ...protocols],
          // Loading the modules of a test takes longer than most tests: files of one worker share them.
          isolate: false,
        },
      },
      { ...inNode, test: { ...inNodeTest, name: 'alone', include: alone } },
      {
        ...inNode,
        test: {
          ...inNodeTest,
          name: 'lab',
          include: ['{lab,examples}/**/*.test.ts'],
          exclude: ['**/*.gpu.test.ts', ...alone, PACKAGES],
          // It leaves a core to the tests of programs, beside which it runs.
          maxWorkers: 1,
          isolate: false,
        },
      },
      { ...inNode, test: { ...inNodeTest, name: 'packages', include: [PACKAGES] } },
      {
        ...inNode,
        test: {
          ...inNodeTest,
          name: 'protocols',
          include: protocols,
          fileParallelism: false,
          isolate: false,
        },
      },
      {
        ...inBrowser,
        // Files share one page, and with it a device and the shaders that it has compiled: most of their time on a software adapter.
        test: {
          ...inBrowserTest(),
          name: 'kernels',
          setupFiles: [...PAGE_SETUP, PROMISED_LIMITS],
          include: ['src/**/*.gpu.test.ts', 'lab/**/*.gpu.test.ts'],
          exclude: ownPage,
          isolate: false,
        },
      },
      {
        ...inBrowser,
        test: { ...inBrowserTest(), name: 'kernels-alone', include: ownPage, exclude: leftOut },
      },
      {
        // Kernels on wgpu, where Deno runs Vitest: deno run -A --unstable-webgpu node_modules/vitest/vitest.mjs run --project=wgpu;
        // and on Dawn, where Node does and npm's package webgpu is there.
        ...inNode,
        test: {
          ...inNodeTest,
          name: 'wgpu',
          pool: 'threads',
          maxWorkers: 1,
          isolate: false,
          setupFiles: [inNodeTest.setupFiles, 'lab/gpuMachine/dawnSetup.ts', PROMISED_LIMITS],
          include: WGPU_FILES,
          provide: { everyCase: process.env['KERNELS'] === 'all' },
        },
      },
    ],
  },
});
