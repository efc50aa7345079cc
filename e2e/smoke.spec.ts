import { expect, test } from './fixtures.ts';

test('the page opens ready to train', async ({ page, openPage, backend }) => {
  await openPage();
  await expect(page).toHaveTitle(/RL Playground/);
  await expect(page.getByTestId('train-button')).toBeVisible();
  const isolated = await page.evaluate(() => crossOriginIsolated);
  expect(isolated).toBe(backend !== null);
  const adapter = page.getByTestId('adapter-line');
  await expect(adapter).toHaveAttribute('data-backend', backend ?? 'wasm');
  console.log(`adapter: ${(await adapter.textContent()) ?? ''}`);
});

test('the engine starts in a tab that nobody looks at', async ({ page, openPage }) => {
  // Background tabs get no animation frames.
  await page.addInitScript(() => {
    window.requestAnimationFrame = () => 0;
  });
  await openPage();
});
