import { defineConfig } from '@playwright/test';
import { findBrowser, launchArguments, type GraphicsMode } from './src/cli/browser.ts';
import type { BrowserOptions, PageOptions } from './e2e/fixtures.ts';
import { ISOLATED_PORT, PLAIN_BASE, PLAIN_PORT } from './e2e/ports.ts';
import { PATIENCE, TEST_PATIENCE } from './src/base/testing/patience.ts';

const executablePath = findBrowser();
const isolated = `http://127.0.0.1:${ISOLATED_PORT}/`;
const plain = `http://127.0.0.1:${PLAIN_PORT}${PLAIN_BASE}`;

function launch(graphics: GraphicsMode) {
  return { ...(executablePath === null ? {} : { executablePath }), args: launchArguments(graphics) };
}

/** What depends on the device or the host; the rest is tested once, in the projects `pages` and `wasm`. */
const everywhere = ['smoke.spec.ts', 'learning.spec.ts'];
/** What only a GPU device can do. */
const gpu = ['failure.spec.ts', 'strangeGpu.spec.ts'];
/** What only a host without headers needs. */
const staticHost = ['isolation.spec.ts'];
/** Machines that join and leave, and what is locked between programs: one at a time after everything else, so that nobody else slows them down. */
const protocols = ['generatorBase', 'generators', 'joinedTrain', 'plainHttp', 'runDirectory'].map(
  (name) => `${name}.spec.ts`,
);
/** Every test on WebGPU, and on hardware alone. */
const requireGpu = process.env['REQUIRE_GPU'] === '1';

/** A few steps of training are the most. The rest trains for longer, or balances the two lanes of `npm test`, one test at a time. */
const pages = [
  'adapter',
  'ask',
  'axe',
  'badInput',
  'benchmark',
  'brokenGenerator',
  'calculator',
  'charts',
  'cli',
  'connections',
  'console',
  'dataset',
  'engine',
  'firstVisit',
  'ggufHub',
  'gguf',
  'hostile',
  'items',
  'keptRun',
  'lessons',
  'lossOptions',
  'manners',
  'memory',
  'offline',
  'onnx',
  'places',
  'policy',
  'presets',
  'reasons',
  'reproducible',
  'sft',
  'share',
  'sweep',
  'tasks',
  'tokens',
  'update',
  'usable',
  'viewports',
  'zoo',
].map((name) => `${name}.spec.ts`);

export default defineConfig<PageOptions, BrowserOptions>({
  testDir: 'e2e',
  globalSetup: './e2e/hosts.ts',
  timeout: TEST_PATIENCE,
  expect: { timeout: PATIENCE },
  // Training uses every core there is. `npm test` gives `pages` two workers.
  workers: 1,
  forbidOnly: true,
  use: {
    acceptDownloads: true,
    // Of whatever waits for the page: clicks, texts in it, events, addresses.
    actionTimeout: PATIENCE,
    navigationTimeout: PATIENCE,
    // A page kept by one would be the page of the visit before, and answers that tests make up would not reach it.
    serviceWorkers: 'block',
    screenshot: 'only-on-failure',
    // Recording every test costs time: TRACE=1 does, and keeps what belongs to those that fail.
    trace: process.env['TRACE'] === '1' ? 'retain-on-failure' : 'off',
  },
  projects: [
    {
      // The hardware adapter, or Chrome's software one (SwiftShader) on a machine without, where that is allowed.
      name: 'webgpu',
      ...(requireGpu ? { testIgnore: staticHost } : { testMatch: [...everywhere, ...gpu] }),
      use: { baseURL: isolated, backend: 'webgpu', requireGpu, launchOptions: launch('webgpu') },
    },
    {
      name: 'pages',
      testMatch: pages,
      use: { baseURL: isolated, backend: 'wasm', launchOptions: launch('webgpu') },
    },
    {
      name: 'wasm',
      testIgnore: [...pages, ...protocols, ...gpu, ...staticHost],
      use: { baseURL: isolated, backend: 'wasm', launchOptions: launch('webgpu') },
    },
    {
      name: 'protocols',
      testMatch: protocols,
      use: { baseURL: isolated, backend: 'wasm', launchOptions: launch('webgpu') },
    },
    {
      // No WebGPU, in a folder of a static host; no threads where service workers are refused.
      name: 'plain',
      testMatch: [...everywhere, ...staticHost],
      use: { baseURL: plain, backend: null, serviceWorkers: 'block', launchOptions: launch('none') },
    },
  ],
});
