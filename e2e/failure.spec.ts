/** A GPU that fails in the middle of things: the step is not counted, the run says why, and goes on as if it had never failed. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { stateOf } from './checkpoint.ts';
import { download, notice, reachPhase, snapshotOf, type PickedFile } from './page.ts';

const SETTINGS = {
  problemsPerStep: 2,
  rolloutsPerProblem: 2,
  maxTokens: 8,
  evalSamples: 1,
  numGenerators: 1,
  numSteps: 2,
  saveSteps: 1,
};

type Fault = 'oversized buffer' | 'lost device';

/** Remembers the devices that the page opens, the newest last. */
async function watchDevices(page: Page): Promise<void> {
  await page.addInitScript(() => {
    type Ask = (this: GPUAdapter, ...given: Parameters<GPUAdapter['requestDevice']>) => Promise<GPUDevice>;
    const requestDevice = Reflect.get(GPUAdapter.prototype, 'requestDevice') as Ask;
    const devices: GPUDevice[] = [];
    Object.assign(window, { openedDevices: devices });
    GPUAdapter.prototype.requestDevice = async function (...given) {
      const device = await requestDevice.apply(this, given);
      devices.push(device);
      return device;
    };
  });
}

/** Makes it happen in step `at.step`, once the status begins with `at.label`. */
async function cause(page: Page, fault: Fault, at: { step: number; label: string }): Promise<void> {
  await page.evaluate(
    ({ fault: wanted, at: { step: wantedStep, label } }) => {
      const { openedDevices } = window as unknown as { openedDevices: GPUDevice[] };
      const fail = (): void => {
        const device = openedDevices.at(-1);
        if (wanted === 'lost device') device?.destroy();
        else device?.createBuffer({ size: 2 * device.limits.maxBufferSize, usage: GPUBufferUsage.STORAGE });
      };
      const controller = window.rlPlayground?.controller;
      const stop = controller?.subscribe(() => {
        const { step, progress } = controller.snapshot();
        if (step !== wantedStep - 1 || progress?.label.startsWith(label) !== true) return;
        stop?.();
        fail();
      });
    },
    { fault, at },
  );
}

async function finishedRun(page: Page): Promise<PickedFile> {
  await reachPhase(page, 'finished');
  expect((await snapshotOf(page)).metrics).toHaveLength(SETTINGS.numSteps);
  return download(page);
}

test('a failed call and a lost device end the step uncounted, and cost a run nothing else; one lost in loading or saving leaves none that looks whole', async ({
  page,
  openPage,
}) => {
  await watchDevices(page);
  // The limits of WebGPU's specification have to suffice here; learning.spec.ts has all that the adapter gives.
  await openPage({ ...SETTINGS, limits: 'default' });

  await test.step('in a step: the run then ends as one that never failed', async () => {
    // A single step comes first, because Train would make a pre-flight of 64 answers.
    await page.getByTestId('step-button').click();
    await reachPhase(page, 'paused');
    await cause(page, 'oversized buffer', { step: 2, label: 'Trainer' });
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'failed');
    const failed = await snapshotOf(page);
    expect([failed.step, failed.metrics.length]).toEqual([1, 1]);
    expect(failed.notices.filter(({ kind }) => kind === 'error')).toHaveLength(1);
    await expect(notice(page, 'Training stopped with an error')).toContainText('those of step 1');
    expect((await download(page)).name).toContain('step-1');

    await cause(page, 'lost device', { step: 2, label: 'Generators' });
    await page.getByTestId('train-button').click();
    await expect(notice(page, 'was lost')).toContainText('back at step 1, its last checkpoint');
    await expect(notice(page, 'was lost')).toContainText('restarted (1 of 2 times)');
    const disturbed = stateOf(await finishedRun(page));

    // On the device that was opened meanwhile: its kernels are compiled.
    await page.getByTestId('reset-button').click();
    await reachPhase(page, 'idle');
    await page.getByTestId('step-button').click();
    await reachPhase(page, 'paused');
    await page.getByTestId('train-button').click();
    expect(stateOf(await finishedRun(page))).toEqual(disturbed);
  });

  await test.step('while the page saves and loads: no run looks whole', async () => {
    const saved = await page.evaluate(() => {
      const { openedDevices } = window as unknown as { openedDevices: GPUDevice[] };
      const checkpoint = window.rlPlayground?.controller.save('checkpoint');
      openedDevices.at(-1)?.destroy();
      return checkpoint?.then(
        () => true,
        () => false,
      );
    });
    expect(saved).toBe(false);
    await reachPhase(page, 'failed');
    await expect(notice(page, 'The GPU had a problem')).toContainText('back at step 2, its last checkpoint');
    expect((await download(page)).name).toContain('step-2');

    await page.addInitScript(() => {
      type Ask = (this: GPUAdapter, ...given: Parameters<GPUAdapter['requestDevice']>) => Promise<GPUDevice>;
      const requestDevice = Reflect.get(GPUAdapter.prototype, 'requestDevice') as Ask;
      GPUAdapter.prototype.requestDevice = async function (...given) {
        const device = await requestDevice.apply(this, given);
        device.destroy();
        return device;
      };
    });
    await page.reload();
    await reachPhase(page, 'failed');
    await expect(notice(page, 'The engine could not start')).toContainText('was lost');
    await expect(page.getByTestId('train-button')).toBeDisabled();
  });
});
