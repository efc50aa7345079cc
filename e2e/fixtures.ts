/** What every e2e test gets: pages opened on its project's backend, and a check that their consoles stayed clean. */
import { expect, test as base } from '@playwright/test';
import type { Page } from '@playwright/test';

export interface PageOptions {
  /** Forced by `?backend=`; null lets the page choose, in a browser without WebGPU. */
  readonly backend: 'webgpu' | 'wasm' | null;
  /** Errors in the console that belong to the test: a browser writes one for each refused request. */
  readonly expectedErrors: RegExp | null;
}

type Settings = Readonly<Record<string, string | number>>;

interface PageFixtures {
  /** Opens the page with more settings in its address, in the test's tab or another; resolves once it can be used. */
  readonly openPage: (settings?: Settings, tab?: Page) => Promise<void>;
  readonly cleanConsole: void;
}

export const test = base.extend<PageOptions & PageFixtures>({
  backend: [null, { option: true }],
  expectedErrors: [null, { option: true }],

  openPage: async ({ page, context, backend }, use) => {
    if (backend === null) {
      await context.addInitScript(() => {
        Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
      });
    }
    await use(async (settings = {}, tab = page) => {
      const address = new URLSearchParams(backend === null ? {} : { backend });
      for (const [key, value] of Object.entries(settings)) address.set(key, String(value));
      await tab.goto(`./?${address.toString()}`);
      await expect(tab.getByTestId('train-button')).toBeEnabled({ timeout: 120_000 });
    });
  },

  cleanConsole: [
    async ({ context, expectedErrors }, use) => {
      const errors: string[] = [];
      context.on('console', (message) => {
        const text = `${message.text()} (${message.location().url})`;
        if (message.type() === 'error' && expectedErrors?.test(text) !== true) errors.push(text);
      });
      context.on('weberror', (webError) => {
        const error = webError.error();
        errors.push(error.stack ?? error.message);
      });
      await use();
      expect(errors, 'errors in the console').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
