/** What every e2e test gets: the page opened on its project's backend, and a check that the console stayed clean. */
import { expect, test as base } from '@playwright/test';

export interface PageOptions {
  /** Forced by `?backend=`; null lets the page choose, in a browser without WebGPU. */
  readonly backend: 'webgpu' | 'wasm' | null;
}

interface PageFixtures {
  /** Opens the page with more settings in its address; resolves once it can be used. */
  readonly openPage: (settings?: Readonly<Record<string, string>>) => Promise<void>;
  readonly cleanConsole: void;
}

export const test = base.extend<PageOptions & PageFixtures>({
  backend: [null, { option: true }],

  openPage: async ({ page, backend }, use) => {
    if (backend === null) {
      await page.addInitScript(() => {
        Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined });
      });
    }
    await use(async (settings = {}) => {
      const address = new URLSearchParams({ ...(backend === null ? {} : { backend }), ...settings });
      await page.goto(`./?${address.toString()}`);
      await expect(page.getByTestId('train-button')).toBeEnabled({ timeout: 60_000 });
    });
  },

  cleanConsole: [
    async ({ page }, use) => {
      const errors: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(`${message.text()} (${message.location().url})`);
      });
      page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
      await use();
      expect(errors, 'errors in the console').toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
