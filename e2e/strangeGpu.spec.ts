/** A GPU of which the browser says nothing, and that computes wrong numbers. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { reachLoaded, snapshotOf } from './page.ts';

/** Takes an adapter's description away, as on an iPhone, so that the page takes it for hardware. */
async function hideDescription(page: Page): Promise<void> {
  await page.addInitScript(() => {
    for (const { prototype } of [GPUAdapter, GPUDevice])
      for (const name of ['info', 'adapterInfo'])
        if (name in prototype) Object.defineProperty(prototype, name, { get: () => undefined });
  });
}

/** Makes each product of vectors and sums a little too large. */
async function spoilProducts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Create = (this: GPUDevice, given: GPUShaderModuleDescriptor) => GPUShaderModule;
    const create = Reflect.get(GPUDevice.prototype, 'createShaderModule') as Create;
    GPUDevice.prototype.createShaderModule = function (given) {
      return create.call(this, { ...given, code: given.code.replaceAll(/\bfma\(/g, '1.01 * fma(') });
    };
  });
}

test('a GPU that computes wrong products is left for the CPU, with a sentence', async ({ page }) => {
  await hideDescription(page);
  await spoilProducts(page);
  await page.goto('./');
  await reachLoaded(page);
  const { backend } = await snapshotOf(page);
  expect(backend).toMatchObject({ backend: 'wasm', available: ['wasm'] });
  expect(backend?.line).toMatch(/^This GPU computes wrong numbers: .* Running on CPU \(wasm\)/);
});

test.describe('a generator’s tab', () => {
  test.use({ expectedErrors: /WebSocket|ERR_CONNECTION/ });

  test('does not answer on such a GPU, and says so', async ({ page, allowServers }) => {
    // Nobody may listen there who is not the system itself: the GPU is tested before the server is asked.
    const server = '127.0.0.1:1023';
    await allowServers(`ws://${server}`);
    await hideDescription(page);
    await spoilProducts(page);
    await page.goto(`./#join=ws://token@${server}`);
    await page.getByTestId('join-button').click();
    await expect(page.getByTestId('generator-device')).toContainText(
      /This GPU computes wrong numbers: .* Running on CPU \(wasm\)/,
    );
  });
});
