/** A run that a ready model rewards: from a folder, on the page and on the command line; and models that fail. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mean } from '@rl-playground/base/statistics';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { startHub } from '@rl-playground/engine/testing/hubServer';
import type { Page, TestInfo } from '@playwright/test';
import { contentOf } from '@rl-playground/engine/parts';
import { CALM, tinyClassifier, type TinyModel } from '@rl-playground/bridges/testing/tinyRewardModel';
import { expect, slowTest, test } from './fixtures.ts';
import { reachPhase, snapshotOf } from './page.ts';

/** Answers end with "[ANSWER] 12" or "Answer: 12", half of them each, and the classifier calls the first shouting. */
const SETTINGS = { task: 'sum_digits', numSteps: 30, evalSamples: 2, passAtK: 0, evalEvery: 0 };
/** A quarter of the problems: the rewards of a step vary twice as much, so several steps are averaged. */
const PAGE_SETTINGS = { ...SETTINGS, problemsPerStep: 4 };

async function contentsOf(model: TinyModel): Promise<Map<string, Uint8Array>> {
  const files = await tinyClassifier(model);
  const contents = new Map<string, Uint8Array>();
  for (const path of files.names ?? []) {
    const file = await files.open(path);
    if (file !== null) contents.set(path, await contentOf(file));
  }
  return contents;
}

/** Writes a model as a folder in the layout of the Hub. */
async function folderOf(info: TestInfo, name: string, model: TinyModel): Promise<string> {
  const folder = info.outputPath(name);
  for (const [path, bytes] of await contentsOf(model)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
  return folder;
}

/** Chooses the folder in the settings, and waits until its model is loaded. */
async function chooseFolder(page: Page, folder: string): Promise<void> {
  await page.getByRole('button', { name: /More settings/ }).click();
  await page.getByTestId('reward-folder').setInputFiles(folder);
  await expect(page.getByTestId('reward-said')).toContainText('is loaded');
}

/** The mean reward of the last four steps less that of the first four. */
const lift = (rewards: readonly number[]): number => mean(rewards.slice(-4)) - mean(rewards.slice(0, 4));

test('a classifier in a folder rewards the page’s run, from a worker that nobody fetched before', async ({
  page,
  openPage,
}, info) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await openPage({ ...PAGE_SETTINGS, graderWeight: 0, rewardLabel: 'CALM' });
  await reachPhase(page, 'idle');
  const isRuntime = (path: string): boolean => /onnxruntime|rewardWorker/.test(path);
  expect(asked.filter(isRuntime)).toEqual([]);
  await chooseFolder(page, await folderOf(info, 'calm', CALM));
  await expect(page.getByTestId('reward-said')).toHaveText(
    /^calm is loaded \(.*\)\. Its labels: SHOUTING, CALM\.$/,
  );
  await expect(page.locator('[data-setting="rewardModel"]')).toHaveValue('calm');
  expect(asked.filter((path) => path.endsWith('.wasm') && isRuntime(path))).toHaveLength(1);
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'finished');
  const { metrics } = await snapshotOf(page);
  expect(metrics).toHaveLength(30);
  expect(lift(metrics.map(({ reward }) => reward))).toBeGreaterThanOrEqual(0.3);
});

slowTest('the command line trains by it, and goes on with the run', async ({ backend }, info) => {
  // The page has the same run.
  test.skip(backend !== 'wasm', 'One backend is enough.');
  const program = fileURLToPath(new URL('../src/cli/run.mjs', import.meta.url));
  const train = (...words: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [program, 'train', ...words], (error, output, errors) =>
        error ? reject(new Error(errors)) : resolve(output),
      );
    });
  const out = info.outputPath('run');
  const folder = await folderOf(info, 'calm', CALM);
  const model = ['--reward-model', folder, '--reward-label', 'CALM', '--grader-weight', '0'];
  const few = ['--eval-samples', '2', '--backend', 'wasm', '--out', out];
  await train('--task', 'sum_digits', '--num-steps', '28', ...few, ...model);
  await train('--resume', out, '--num-steps', '30');
  const steps = readFileSync(join(out, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly reward?: number });
  const rewards = steps.flatMap(({ reward }) => reward ?? []);
  expect(rewards).toHaveLength(30);
  expect(lift(rewards)).toBeGreaterThanOrEqual(0.3);
  await expect(train(...few.slice(0, 4), '--reward-model', folder, '--reward-label', 'NICE')).rejects.toThrow(
    'The model has no label "NICE"; it has SHOUTING, CALM.',
  );
});

const FEW = { ...SETTINGS, numSteps: 2, problemsPerStep: 2, rolloutsPerProblem: 4, rewardLabel: 'CALM' };

test('a model that answers NaN pauses the run before anything is learned', async ({
  page,
  openPage,
}, info) => {
  await openPage(FEW);
  const weights = Object.fromEntries(Object.keys(CALM.weights).map((letter) => [letter, NaN]));
  await chooseFolder(page, await folderOf(info, 'nan', { ...CALM, weights }));
  await page.getByTestId('train-button').click();
  await reachPhase(page, 'paused');
  const { notices, step } = await snapshotOf(page);
  expect(step).toBe(0);
  expect(notices.map(({ title }) => title)).toContain('The reward model failed');
  expect(notices.map(({ text }) => text).join()).toContain(
    'The reward model failed for 8 answers in a row, so the step was cancelled. The last failure: The reward model answered NaN; a finite number is needed.',
  );
});

test.describe('a model of a server', () => {
  test.use({ serviceWorkers: 'allow', expectedErrors: /ERR_INTERNET_DISCONNECTED|Failed to fetch/ });

  test('is asked for at a click, kept, and rewards a run without a network', async ({
    page,
    context,
    allowServers,
  }) => {
    const hub = await startHub({ 'test/calm': { commit: 'd'.repeat(40), files: await contentsOf(CALM) } });
    await allowServers(hub.url, hub.storageUrl);
    await page.goto(
      `./?v=${SETTINGS_VERSION}&task=sum_digits&numSteps=1&problemsPerStep=2&evalSamples=2&passAtK=0&backend=wasm&rewardModel=test%2Fcalm&rewardLabel=CALM`,
    );
    await expect(page.locator('html')).toHaveAttribute('data-offline', 'kept');
    await expect(page.getByTestId('train-button')).toBeDisabled();
    await expect(page.getByTestId('train-block')).toContainText('The reward model test/calm is not loaded');
    expect(hub.ranges).toEqual([]);
    await page.getByRole('button', { name: 'Load it…' }).click();
    await expect(page.locator('[data-setting="rewardModel"]')).toBeFocused();
    await page
      .getByRole('group', { name: 'Source of the reward model' })
      .getByText('Token and server')
      .click();
    await page.getByTestId('hub-url').fill(hub.url);
    await page.getByTestId('reward-load').click();
    await expect(page.getByTestId('reward-said')).toContainText('Its labels: SHOUTING, CALM.');
    await hub.close();

    await context.setOffline(true);
    // Not even the browser's HTTP cache answers.
    const session = await context.newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    await page.reload();
    await reachPhase(page, 'idle');
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    expect((await snapshotOf(page)).metrics).toMatchObject([{ leftOut: 0 }]);
    await context.setOffline(false);
  });
});
