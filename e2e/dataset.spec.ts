/** A task whose problems are rows of a dataset: without them it says so, with a file of them it can be asked. */
import { expect, test } from './fixtures.ts';
import { drop } from './page.ts';

const row = (index: number): object => ({
  question: `A shelf has ${index} books and gets 3 more. How many books does it have?`,
  answer: `${index} + 3 = <<${index}+3=${index + 3}>>${index + 3}\n#### ${index + 3}`,
});
const file = (name: string, lines: readonly object[]) => ({
  name,
  bytes: new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n')),
});
const ROWS = Array.from({ length: 60 }, (_, index) => row(index));

test('rows come from files, bad ones are named, and a broken file changes nothing', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage({ task: 'gsm8k' });
  const dataset = page.getByTestId('dataset');
  await expect(dataset).toContainText('openai/gsm8k');
  await expect(page.getByText(/GSM8K is not loaded: there are 0 problems/)).toBeVisible();

  const rows = [...ROWS, { question: 'What is missing here?' }];
  const { name, bytes } = file('rows.jsonl', rows);
  await page
    .getByTestId('dataset-input')
    .setInputFiles({ name, mimeType: 'application/jsonl', buffer: Buffer.from(bytes) });
  await expect(dataset.getByRole('status')).toContainText(/\d+ problems for training and \d+ for evaluation/);
  await expect(dataset.getByRole('status')).toContainText('1 bad rows: line 61');
  await expect(page.getByText(/A shelf has \d+ books/).first()).toBeVisible();

  await drop(page, file('test.jsonl', [{ wrong: 1 }]), testInfo);
  await expect(dataset.getByRole('alert')).toContainText('test.jsonl: 1 column was found ("wrong")');
  await expect(page.getByText(/A shelf has \d+ books/).first()).toBeVisible();
});
