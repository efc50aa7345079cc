import { everyProof } from '@rl-playground/base/testing/proofs';
import { expect, test } from './fixtures.ts';
import { reachPhase, snapshotOf } from './page.ts';

test('the page opens ready to train, and trains a step', async ({ page, openPage, backend, requireGpu }) => {
  // On the CPU, and on a GPU that is asked for, learning.spec.ts opens it and trains.
  test.skip((backend === 'wasm' || requireGpu) && !everyProof, 'with PROOFS=all');
  await openPage({ problemsPerStep: 2, evalSamples: 2, maxTokens: 16, numSteps: 1 });
  await expect(page).toHaveTitle(/RL Playground/);
  await expect(page.getByTestId('train-button')).toBeVisible();
  const isolated = await page.evaluate(() => crossOriginIsolated);
  expect(isolated).toBe(backend !== null);
  const adapter = page.getByTestId('adapter-line');
  await expect(adapter).toHaveAttribute('data-backend', backend ?? 'wasm');
  console.log(`adapter: ${(await adapter.textContent()) ?? ''}`);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const { metrics } = await snapshotOf(page);
  expect(metrics).toHaveLength(1);
  // Sampler and trainer differ by rounding alone.
  expect(metrics[0]?.mismatchMax).toBeLessThan(1e-4);
  if (backend !== null) return;
  // Without a GPU the page says which browsers offer one.
  await adapter.click();
  await expect(page.getByTestId('device')).toContainText('No GPU found');
  await expect(page.getByTestId('gpu-help')).toContainText('chrome://settings/system');
});

test('the engine starts in a tab that nobody looks at', async ({ page, openPage, backend }) => {
  // The other projects start both backends so.
  test.skip(backend === null && !everyProof, 'with PROOFS=all');
  // Background tabs get no animation frames.
  await page.addInitScript(() => {
    window.requestAnimationFrame = () => 0;
  });
  await openPage();
});
