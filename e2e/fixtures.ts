/** The fixtures of every e2e test: pages opened on its project's backend, and a check that their consoles stayed clean. */
import { expect, test as base, type Browser, type Page } from '@playwright/test';
import { adapterFacts } from '@rl-playground/engine/parts';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { ISOLATED_PORT } from './ports.ts';

export interface PageOptions {
  /** The backend in the address (`?backend=`); null lets the page choose, in a browser without WebGPU. */
  readonly backend: 'webgpu' | 'wasm' | null;
  /** Errors in the console that belong to the test: a browser writes one for each refused request. */
  readonly expectedErrors: RegExp | null;
  /** True if the test expects the page's policy to refuse something. */
  readonly expectedViolations: boolean;
}

export interface BrowserOptions {
  /** True if tests fail in a browser without a hardware adapter. */
  readonly requireGpu: boolean;
}

type Settings = Readonly<Record<string, string | number>>;

/**
 * The setting in the address of a page that stretches its time limits by 300, beyond the patience of a test. A test of such a limit
 * passes another value.
 */
export const NO_HURRY = { deadline: 6000 } as const;

interface PageFixtures {
  /**
   * Opens the page with more settings in its address, in the test's tab or another; resolves once it can be used. Its runs begin without their
   * pre-flight, unless `preflight` is said to be on.
   */
  readonly openPage: (settings?: Settings, tab?: Page) => Promise<void>;
  readonly cleanConsole: void;
  /** Fails a test in which a page's policy refused or reported something. */
  readonly noViolations: void;
  /** Lets every page of the test ask these servers, as if the visitor had said so before. */
  readonly allowServers: (...servers: readonly string[]) => Promise<void>;
}

declare global {
  interface Window {
    policyViolated?: (said: string) => Promise<void>;
  }
}

interface BrowserFixtures {
  readonly hardware: void;
}

/** The names of the adapter that pages of a browser get; null if they get none. */
async function adapterOf(browser: Browser): Promise<GPUAdapterInfo | null> {
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${ISOLATED_PORT}/favicon.svg`);
    return await page.evaluate(async () => {
      const gpu = navigator.gpu as GPU | undefined;
      const ask = () => gpu?.requestAdapter({ powerPreference: 'high-performance' });
      // Chrome on Linux may have no adapter for the first request, while its GPU process restarts with Vulkan.
      const info = ((await ask()) ?? (await ask()))?.info;
      if (!info) return null;
      const { vendor, architecture, device, description, isFallbackAdapter } = info;
      return { vendor, architecture, device, description, isFallbackAdapter } as GPUAdapterInfo;
    });
  } finally {
    await page.close();
  }
}

export const test = base.extend<PageOptions & PageFixtures, BrowserOptions & BrowserFixtures>({
  requireGpu: [false, { option: true, scope: 'worker' }],

  hardware: [
    async ({ requireGpu, browser }, use) => {
      const info = requireGpu ? await adapterOf(browser) : null;
      if (requireGpu && (info === null || adapterFacts(info).software)) {
        const found =
          info === null
            ? 'no WebGPU adapter'
            : `${info.description || info.architecture || info.vendor}, which computes on the CPU`;
        throw new Error(
          `REQUIRE_GPU=1 asks for a hardware adapter, and this browser has ${found}. Run on a machine with a GPU and its driver, or without REQUIRE_GPU.`,
        );
      }
      await use();
    },
    { scope: 'worker', auto: true },
  ],

  backend: [null, { option: true }],
  expectedErrors: [null, { option: true }],
  expectedViolations: [false, { option: true }],

  openPage: async ({ page, context, backend }, use) => {
    if (backend === null) {
      await context.addInitScript(() => {
        Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
      });
    }
    await use(async (settings = {}, tab = page) => {
      const address = new URLSearchParams(backend === null ? {} : { backend });
      address.set('v', String(SETTINGS_VERSION));
      const unasked = { ...NO_HURRY, preflight: 'off' };
      for (const [key, value] of Object.entries(unasked)) address.set(key, String(value));
      // Eight draws of each held-out problem are for those who ask for them, and so is a second generator, which takes as long to start as a short run.
      const changes = Object.entries(settings);
      if (changes.length > 0) address.set('passAtK', '1');
      if (changes.length > 0 && !('preset' in settings)) address.set('numGenerators', '1');
      for (const [key, value] of changes) address.set(key, String(value));
      await tab.goto(`./?${address.toString()}`);
      await expect(tab.getByTestId('status')).toHaveAttribute('data-phase', /^(?!loading)/);
    });
  },

  allowServers: async ({ context }, use) => {
    await use(async (...servers) => {
      await context.addInitScript((allowed) => {
        // An empty tab has no storage.
        if (location.protocol === 'http:')
          localStorage.setItem('rl-playground-servers', JSON.stringify(allowed));
      }, servers);
    });
  },

  noViolations: [
    async ({ context, expectedViolations }, use) => {
      const violations: string[] = [];
      await context.exposeBinding('policyViolated', (_, said: string) => void violations.push(said));
      await context.addInitScript(() => {
        document.addEventListener('securitypolicyviolation', (event) => {
          const { effectiveDirective, disposition, blockedURI, sourceFile, lineNumber, sample } = event;
          void window.policyViolated?.(
            `${disposition} ${effectiveDirective}: ${blockedURI} at ${sourceFile}:${lineNumber} ${sample}`,
          );
        });
      });
      await use();
      expect(expectedViolations ? [] : violations, 'violations of the page’s policy').toEqual([]);
    },
    { auto: true },
  ],

  cleanConsole: [
    async ({ context, expectedErrors }, use) => {
      const errors: string[] = [];
      context.on('console', (message) => {
        const text = `${message.text()} (${message.location().url})`;
        if (message.type() === 'error' && expectedErrors?.test(text) !== true) errors.push(text);
      });
      context.on('weberror', (webError) => {
        const { name, message, stack = '' } = webError.error();
        // A thrown value that is no Error has no stack.
        errors.push(stack === '' ? `${name}: ${message}` : stack);
      });
      await use();
      expect(errors, 'errors in the console').toEqual([]);
    },
    { auto: true },
  ],
});

/** A slow proof: it runs with PROOFS=all, and where it is left out no page is opened for it. */
export const slowTest: (title: string, body: Parameters<typeof test>[2]) => void = everyProof
  ? test
  : test.skip.bind(test);

export { expect };
