/** A LoRA adapter from elsewhere, as PEFT saves one, beside the model that is loaded. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadModel, filesInMemory } from '@rl-playground/engine/parts';
import { unzipped } from './checkpoint.ts';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { expect, slowTest, test } from './fixtures.ts';
import { choose, dropPath, fileBehind, notice, press, reachPhase, reachStep, snapshotOf } from './page.ts';
import { starterAdapter } from './starterAdapter.ts';

const starter = fileURLToPath(new URL('../public/models/starter/model.safetensors', import.meta.url));

/** The folder of an adapter of the starter. */
function writeAdapter(folder: string, changes: object = {}): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of starterAdapter({ name: 'starter', revision: null }, changes))
    writeFileSync(join(folder, name), bytes);
  return folder;
}

test('its folder is dropped and its settings are taken over; one that is no plain LoRA is refused, and the model stays', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage({ task: 'reverse_digits', numSteps: 1, problemsPerStep: 2, rolloutsPerProblem: 2 });
  await dropPath(page, writeAdapter(testInfo.outputPath('pissa'), { init_lora_weights: 'pissa' }));
  await expect(notice(page, 'pissa was not loaded')).toContainText('init_lora_weights is "pissa"');
  expect((await snapshotOf(page)).modelName).toBe('starter');

  await dropPath(page, writeAdapter(testInfo.outputPath('my-adapter')));
  await expect(page.getByTestId('notices').getByText(/and an adapter of rank 3/)).toBeVisible();
  await expect(page).toHaveURL(/loraRank=3/);
  // hubModel.spec.ts begins a run from such a model.
  if (!everyProof) return;
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  const { config, metrics } = await snapshotOf(page);
  expect(config).toMatchObject({ loraRank: 3, loraAlpha: 6, loraTargets: ['q_proj', 'up_proj'] });
  // KL is measured against the model with the adapter as it came.
  expect(metrics[0]?.kl).toBeLessThan(1e-6);
});

slowTest(
  'of a frozen base is saved with it, and goes on where another model is loaded',
  async ({ page, openPage }) => {
    // `run/session/variants.test.ts` saves and resumes it in Node.
    const sizes = { numSteps: 2, problemsPerStep: 2, rolloutsPerProblem: 2, evalSamples: 4 };
    const run = { task: 'reverse_digits', loraRank: 3, baseFormat: '16bit', ...sizes } as const;
    await openPage(run);
    await page.getByTestId('export-menu').click();
    await expect(page.getByTestId('download-button')).toBeVisible();
    await expect(page.getByTestId('full-download-button')).toBeHidden();
    await page.keyboard.press('Escape');
    await page.getByTestId('step-button').click();
    await reachPhase(page, 'paused');
    const saved = await fileBehind(page, 'full-download-button');
    const base = unzipped(saved).get('base/model.safetensors');
    expect(base).toEqual(new Uint8Array(readFileSync(starter)));

    await press(page, 'export-button');
    await page.getByTestId('export-type').selectOption('BF16');
    const merged = unzipped(await fileBehind(page, 'export-download'));
    const { weights } = await loadModel(filesInMemory('merged', merged));
    expect([...weights.values()].every(({ dtype }) => dtype === 'BF16')).toBe(true);
    expect(new TextDecoder().decode(merged.get('README.md'))).toContain('lora_rank=3');

    await openPage({ model: 'starter-words' });
    await choose(page, saved);
    await expect(page.getByTestId('notices').getByText('after 1 steps')).toBeVisible();
    await page.getByTestId('step-button').click();
    await reachStep(page, 2);
    expect((await snapshotOf(page)).config).toMatchObject(run);
  },
);
