/** A task whose problems are rows of a dataset: without them it says so, with a file of them it can be asked. */
import type { Locator } from '@playwright/test';
import { startHub, type HubServer } from '@rl-playground/engine/testing/hubServer';
import { unzipped } from './checkpoint.ts';
import { expect, test } from './fixtures.ts';
import { download, drop, goTo, openFold, reachPhase } from './page.ts';

const row = (index: number): object => ({
  question: `A shelf has ${index} books and gets 3 more. How many books does it have?`,
  answer: `${index} + 3 = <<${index}+3=${index + 3}>>${index + 3}\n#### ${index + 3}`,
});
const file = (name: string, lines: readonly object[]) => ({
  name,
  bytes: new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n')),
});
const ROWS = Array.from({ length: 60 }, (_, index) => row(index));

test.describe('the Hub', () => {
  const commit = 'c'.repeat(40);
  let hub: HubServer;
  test.beforeAll(async () => {
    const sums = Array.from({ length: 60 }, (_, i) => ({ sum: `${i}+${i % 7}`, total: i + (i % 7) }));
    hub = await startHub({
      'datasets/test/sums': {
        commit,
        token: 'hf_right',
        files: new Map([['data/train.jsonl', file('train.jsonl', sums).bytes]]),
      },
      'datasets/openai/gsm8k': {
        commit,
        files: new Map([['main/train.jsonl', file('train.jsonl', ROWS).bytes]]),
      },
    });
  });
  test.afterAll(() => hub.close());
  test.beforeEach(({ allowServers }) => allowServers(hub.url, hub.storageUrl));

  async function askHub(within: Locator, name: string, token = ''): Promise<void> {
    await within.getByText('Token and server').click();
    await within.getByTestId('hub-url').fill(hub.url);
    await within.getByTestId('hub-token').fill(token);
    await within.getByTestId('dataset-name').fill(name);
    await within.getByTestId('dataset-load').click();
  }

  test('gives rows to a task of the user’s own, by columns that are chosen, and a step is trained on them', async ({
    page,
    openPage,
  }) => {
    const small = { problemsPerStep: 1, rolloutsPerProblem: 2, maxTokens: 8, evalSamples: 1, numSteps: 1 };
    await openPage(small);
    await openFold(page, 'Your own task');
    await page.getByTestId('own-new').click();
    const editor = page.getByTestId('own-editor');
    await askHub(editor, 'test/sums', 'hf_right');
    await expect(page.getByTestId('own-read')).toContainText('2 columns were found ("sum", "total")');
    await page.getByLabel('Column with the question').selectOption('sum');
    await expect(page.getByTestId('own-read')).toContainText('60 rows read from JSONL');
    await page.getByTestId('own-save').click();
    await goTo(page, 'train');
    await expect(page.getByTestId('task-select')).toHaveValue('own:sums');
    await expect(page.getByText('From: hub:test/sums')).toBeVisible();
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'finished');
    const tasks = unzipped(await download(page)).get('own_tasks.json');
    expect(JSON.parse(new TextDecoder().decode(tasks))).toMatchObject({
      tasks: [{ name: 'sums', origin: { source: 'hub:test/sums', commit } }],
    });
  });

  test('or files give GSM8K its rows, bad ones are named, and a broken file changes nothing; a run without rows, or with a model that can’t read them, does not begin', async ({
    page,
    openPage,
  }, testInfo) => {
    await openPage({ task: 'gsm8k' });
    const dataset = page.getByTestId('dataset');
    await expect(dataset).toContainText('openai/gsm8k');
    await expect(page.getByText(/GSM8K is not loaded: there are 0 problems/)).toBeVisible();
    await expect(page.getByTestId('train-button')).toHaveAttribute('aria-disabled', 'true');
    await expect(page.getByTestId('train-block')).toContainText('is too small for the task');

    const rows = [...ROWS, { question: 'What is missing here?' }];
    const { name, bytes } = file('rows.jsonl', rows);
    await page
      .getByTestId('dataset-input')
      .setInputFiles({ name, mimeType: 'application/jsonl', buffer: Buffer.from(bytes) });
    const said = dataset.getByRole('status');
    await expect(said).toContainText(/\d+ problems for training and \d+ for evaluation/);
    await expect(said).toContainText('1 bad rows: line 61');
    await expect(page.getByText(/A shelf has \d+ books/).first()).toBeVisible();

    await drop(page, file('test.jsonl', [{ wrong: 1 }]), testInfo);
    await expect(dataset.getByRole('alert')).toContainText('test.jsonl: 1 column was found ("wrong")');
    await expect(page.getByText(/A shelf has \d+ books/).first()).toBeVisible();

    await askHub(dataset, 'openai/gsm8k');
    await expect(said).toContainText('from hub:openai/gsm8k');
    await page.getByTestId('larger-model').click();
    await expect(page.getByTestId('model-picker')).toBeVisible();
  });
});
