/** A task that the user made: rows, grader or program, tried out, kept, trained on, carried by checkpoints. */
import { readFile, writeFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expectReadable } from './contrast.ts';
import { expect, slowTest, test } from './fixtures.ts';
import {
  choose,
  download,
  goTo,
  notice,
  openFold,
  reachLoaded,
  reachPhase,
  reachStep,
  snapshotOf,
  status,
} from './page.ts';

const SMALL = { problemsPerStep: 2, rolloutsPerProblem: 4, evalSamples: 4, numSteps: 50, maxTokens: 16 };

const sums = Array.from({ length: 80 }, (_, i) => ({
  question: `${i}+${i % 7}`,
  answer: String(i + (i % 7)),
}));
const jsonl = sums.map((row) => JSON.stringify(row)).join('\n');
const csv = ['Prompt;Target', ...sums.map(({ question, answer }) => `${question};${answer}`)].join('\n');

function panel(page: Page): Locator {
  return page.getByRole('region', { name: 'Your own task' });
}

async function openPanel(page: Page): Promise<void> {
  await openFold(page, 'Your own task');
  await expect(page.getByTestId('own-new')).toBeVisible();
}

async function fileOf(page: Page, testId: string, name: string, text: string): Promise<void> {
  await page.getByTestId(testId).setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
}

/** A new task from a file of rows; the editor stays open. */
async function begin(page: Page, name = 'sums.jsonl', text = jsonl): Promise<void> {
  await openPanel(page);
  await page.getByTestId('own-new').click();
  await fileOf(page, 'own-file', name, text);
  await expect(page.getByTestId('own-read')).toContainText('80 rows');
}

async function setProgram(page: Page, source: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Program with the function score' });
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(source);
}

/** Saves the task and waits until the editor closes. */
async function save(page: Page): Promise<void> {
  await page.getByTestId('own-save').click();
  await expect(page.getByTestId('own-editor')).toBeHidden();
}

test('rows from a file, tried out, saved, kept over a reload, renamed, exported, removed, imported', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  await begin(page);
  await expect(page.getByTestId('own-read')).toContainText(
    '80 rows read from JSONL: the question from “question”, the answer from “answer”.',
  );
  await expect(page.getByTestId('own-name')).toHaveValue('sums');
  await expect(page.getByTestId('calculator-total')).toHaveText('1.20');
  await page.getByLabel('Completion', { exact: true }).fill('<answer>no</answer>');
  await expect(page.getByTestId('calculator-total')).toHaveText('0.20');
  await page.getByTestId('own-save').click();
  await goTo(page, 'train');
  await expect(page.getByTestId('task-select')).toHaveValue('own:sums');

  await page.reload();
  await expect(page.getByTestId('train-button')).toBeEnabled();
  await expect(page.getByTestId('task-select')).toHaveValue('own:sums');
  await openPanel(page);
  await page.getByRole('button', { name: 'Edit or rename sums' }).click();
  await page.getByTestId('own-name').fill('small sums');
  await page.getByTestId('own-save').click();
  await goTo(page, 'train');
  await expect(page.getByTestId('task-select')).toHaveValue('own:small sums');
  await goTo(page, 'make');

  const [caught] = await Promise.all([page.waitForEvent('download'), page.getByTestId('own-export').click()]);
  const exported = await readFile(await caught.path(), 'utf8');
  expect(JSON.parse(exported)).toMatchObject({ version: 1, tasks: [{ name: 'small sums', rows: sums }] });

  await goTo(page, 'train');
  await page.getByTestId('task-select').selectOption('mixture');
  await page.getByRole('button', { name: 'Add a task' }).click();
  const part = page.getByTestId('mixture').getByLabel('Task', { exact: true }).first();
  await part.selectOption('own:small sums');
  await expect(part).toHaveValue('own:small sums');
  await page.getByTestId('task-select').selectOption('own:small sums');

  await goTo(page, 'make');
  await page.getByRole('button', { name: 'Remove small sums' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByTestId('own-task')).toHaveCount(0);
  await goTo(page, 'train');
  await expect(page.getByTestId('task-select')).toHaveValue('sum_digits');
  await goTo(page, 'make');

  await fileOf(page, 'own-import', 'own-tasks.json', exported);
  await expect(page.getByTestId('own-task')).toHaveCount(1);
  await fileOf(page, 'own-import', 'own-tasks.json', exported);
  await expect(page.getByTestId('own-task').nth(1)).toContainText('small sums 2');
  await fileOf(page, 'own-import', 'own-tasks.json', '{"kind":"something else"}');
  await expect(notice(page, 'own-tasks.json was not imported')).toContainText('no tasks of your own');
  await expect(page.getByTestId('own-task')).toHaveCount(2);
});

const alpaca = Array.from({ length: 80 }, (_, i) => ({
  instruction: 'Add the two numbers.',
  input: i % 4 === 0 ? '' : `${i}, ${i + 1}`,
  output: String(2 * i + 1),
}));
const choices = Array.from({ length: 80 }, (_, i) => ({
  question: `What is ${i} and 1?`,
  subject: 'elementary_mathematics',
  choices: [i, i + 1, i + 2].map(String),
  answer: 1,
}));

test('rows of two columns and of choices: what was taken for what is said, can be changed, and is saved so', async ({
  page,
  openPage,
}) => {
  await openPage(SMALL);
  await begin(page, 'alpaca.json', JSON.stringify(alpaca));
  const read = page.getByTestId('own-read');
  await expect(read).toContainText(
    '80 rows read from JSON: the question from “instruction” with “input” below it, the answer from “output”.',
  );
  const first = page.getByTestId('own-editor').getByRole('table').getByRole('row');
  await expect(first.nth(1)).toContainText('Add the two numbers.');
  await expect(first.nth(2)).toContainText('1, 2');
  await page.getByLabel('Text below the question').selectOption('None');
  await expect(read).toContainText(
    'the question from “instruction”, the answer from “output”. Not used: “input”.',
  );
  await expect(page.getByTestId('own-errors')).toContainText('at least 2 are needed');
  await page.getByLabel('Text below the question').selectOption('input');
  await expect(page.getByTestId('own-errors')).toHaveCount(0);

  await fileOf(page, 'own-file', 'mmlu.jsonl', choices.map((row) => JSON.stringify(row)).join('\n'));
  await expect(read).toContainText(
    '80 rows read from JSONL: the question from “question” with the choices in “choices” below it by their letters, the answer’s letter from “answer”, where numbers count from 0. Not used: “subject”.',
  );
  await expect(first.nth(2)).toContainText(/A\. 1\s*B\. 2\s*C\. 3B$/);
  await expect(page.getByLabel('Grader')).toHaveValue('multiple_choice');
  await expect(page.getByTestId('calculator-correct')).toContainText('yes');
  await save(page);
  await openPanel(page);
  const [caught] = await Promise.all([page.waitForEvent('download'), page.getByTestId('own-export').click()]);
  expect(JSON.parse(await readFile(await caught.path(), 'utf8'))).toMatchObject({
    tasks: [
      {
        grader: { kind: 'multiple_choice', choices: 3 },
        system: expect.stringContaining('letter of your choice'),
      },
    ],
  });
});

test('a file that is dropped begins a task; a table with names of its own, bad lines, and a file that can not be read; each grader explains what it can not grade; a program: parts, console, errors, a hang, the keyboard, and a phone', async ({
  page,
  openPage,
}, testInfo) => {
  await openPage(SMALL);
  const path = testInfo.outputPath('dropped sums.jsonl');
  await writeFile(path, jsonl);
  const browser = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await browser.send('Input.dispatchDragEvent', {
      type,
      x: 200,
      y: 200,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  await browser.detach();
  await expect(page.getByTestId('own-read')).toContainText('80 rows read from JSONL');
  await expect(page.getByTestId('own-name')).toHaveValue('dropped sums');

  await fileOf(page, 'own-file', 'sums.csv', `${csv}\nonly one value\n;no question`);
  await expect(page.getByTestId('own-read')).toContainText('from “Prompt”, the answer from “Target”');
  await expect(page.getByTestId('own-read')).toContainText('2 lines left out');
  await expect(page.getByTestId('own-read')).toContainText('line 82 has 1 value');
  await expect(page.getByTestId('own-read')).toContainText('line 83 has an empty question');

  await fileOf(page, 'own-file', 'broken.json', '[{"question":1},');
  await expect(page.getByTestId('own-read')).toContainText('begins like a JSON list but is none');
  await expect(page.getByTestId('own-read')).toContainText('80 rows from earlier are kept');

  await page.getByTestId('own-paste').fill('frage,antwort\n1,2\n3,4');
  await expect(page.getByTestId('own-read')).toContainText('2 columns were found ("frage", "antwort")');
  await page.getByLabel('Column with the question').selectOption('0');
  await expect(page.getByTestId('own-read')).toContainText('2 rows read from CSV');
  await expect(page.getByTestId('own-errors')).toContainText('at least 2 are needed');
  await expect(page.getByTestId('own-save')).toHaveAttribute('aria-disabled', 'true');

  await fileOf(page, 'own-file', 'sums.jsonl', jsonl);
  await expect(page.getByTestId('own-read')).toContainText('80 rows');
  const grader = page.getByLabel('Grader');
  for (const kind of ['number', 'boxed', 'exact', 'answer_tag', 'regex'] as const) {
    await grader.selectOption(kind);
    await expect(page.getByTestId('calculator-correct'), kind).toContainText('yes');
  }
  await page.getByLabel('Pattern').fill('Answer: (');
  await expect(page.getByTestId('own-errors')).toContainText("can't be used");
  await grader.selectOption('multiple_choice');
  await expect(page.getByTestId('own-errors')).toContainText("80 of 80 rows can't be graded");
  await grader.selectOption('number');
  await page.getByLabel('Relative tolerance').fill('0.5');
  const answer = Number(await page.getByTestId('calculator-answer').innerText());
  await page.getByLabel('Completion', { exact: true }).fill(`about ${answer * 1.2}`);
  await expect(page.getByTestId('calculator-correct')).toContainText('yes');

  await page.getByRole('button', { name: 'Reset to the worked answer' }).click();
  await grader.selectOption('code');
  await expect(page.getByTestId('calculator-total')).toHaveText('1.20');
  await expect(page.getByTestId('calculator-console')).toContainText('"right":true');
  await page.getByLabel('Completion', { exact: true }).fill('x'.repeat(300));
  await expect(page.getByTestId('calculator-total')).toHaveText('0.00');

  await setProgram(page, '\n\nfunction score() { throw new Error("on purpose"); }');
  await expect(page.getByTestId('calculator-error')).toContainText('on purpose (line 3)');
  await setProgram(page, 'function score( {');
  await expect(page.getByTestId('calculator-error')).toContainText('at line 1, column 18');
  await setProgram(page, 'def score(problem, completion):\n    return 1.0');
  await expect(page.getByTestId('calculator-error')).toContainText('It looks like Python');
  await page.getByTestId('own-name').fill('fails');
  await page.getByTestId('own-save').click();
  await expect(notice(page, 'The task was not saved')).toContainText('The program can’t be read at line 1');
  await expect(page.getByTestId('own-editor')).toBeVisible();
  await setProgram(page, 'function score() { for (;;); }');
  await expect(page.getByTestId('calculator-error')).toContainText('The program was stopped after');
  await setProgram(page, 'function score() { return fetch("https://example.com/"); }');
  await expect(page.getByTestId('calculator-error')).toContainText("'fetch' is not defined");
  await setProgram(page, 'const score = (problem: { answer: string }) => Number(problem.answer) * 0 + 0.5;');
  await expect(page.getByTestId('calculator-total')).toHaveText('0.50');

  const editor = page.getByRole('textbox', { name: 'Program with the function score' });
  await editor.click();
  await page.keyboard.press('End');
  await page.keyboard.type(' // more');
  await expect(editor).toContainText('// more');
  await page.keyboard.press('Control+z');
  await expect(editor).not.toContainText('// more');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(editor).not.toBeFocused();
  await expect(page.getByLabel('Example of a right answer')).toBeFocused();

  await test.step('on a phone, by its labels, readable in light and dark', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    for (const role of ['button', 'combobox', 'textbox', 'checkbox', 'spinbutton'] as const) {
      const all = await panel(page).getByRole(role).count();
      await expect(panel(page).getByRole(role, { name: /\S/ }), `each ${role} has a name`).toHaveCount(all);
    }
    await expectReadable(panel(page));
  });
});

test('a run scored by a program, and its checkpoint in a browser that has never seen the task', async ({
  page,
  openPage,
  browser,
  baseURL,
  backend,
}) => {
  await openPage(SMALL);
  await begin(page);
  await page.getByLabel('Grader').selectOption('code');
  await setProgram(
    page,
    'export const score = (p: unknown, c: { text: string }) => ({ parts: { length: c.text.length / 100, luck: Math.random() / 10 } });',
  );
  await expect(page.getByTestId('calculator-total')).toBeVisible();
  const leaveOut = page.getByLabel('Leave an answer out of its group where the program fails');
  await expect(leaveOut).not.toBeChecked();
  await leaveOut.check();
  await save(page);
  await page.getByTestId('step-button').click();
  await reachStep(page, 1);
  await reachPhase(page, 'paused');
  const { rollouts, evaluations, metrics } = await snapshotOf(page);
  // No answer failed; a run without the setting counts none.
  expect(metrics[0]?.leftOut).toBe(0);
  expect(rollouts).toHaveLength(8);
  for (const { text, reward } of rollouts) {
    expect(reward.error).toBeUndefined();
    expect(reward.parts['length']).toBeCloseTo(text.length / 100, 9);
    expect(reward.parts['luck']).toBeGreaterThanOrEqual(0);
  }
  expect(evaluations[0]?.n).toBe(4);
  const checkpoint = await download(page);

  const elsewhere = await browser.newContext(baseURL === undefined ? {} : { baseURL });
  const other = await elsewhere.newPage();
  await other.goto(`./?backend=${backend ?? 'wasm'}`);
  await reachLoaded(other);
  await choose(other, checkpoint);
  await expect(other.getByTestId('task-select')).toHaveValue('own:sums');
  await other.getByTestId('step-button').click();
  await reachStep(other, 2);
  const continued = await snapshotOf(other);
  await page.getByTestId('step-button').click();
  await reachStep(page, 2);
  const here = await snapshotOf(page);
  expect(continued.rollouts.map(({ reward }) => reward.total)).toEqual(
    here.rollouts.map(({ reward }) => reward.total),
  );
  await elsewhere.close();

  // What a changed program would say of the run's weights is no evaluation of the run, so nothing is begun that would fail.
  const evaluate = page.getByRole('button', { name: 'Evaluate now' });
  await goTo(page, 'train');
  await expect(evaluate).toHaveAttribute('aria-disabled', 'false');
  await goTo(page, 'make');
  await page.getByRole('button', { name: 'Edit or rename sums' }).click();
  await setProgram(page, 'export const score = (p: unknown, c: { text: string }) => c.text.length / 50;');
  await expect(page.getByTestId('own-save')).toHaveAttribute('aria-disabled', 'false');
  await save(page);
  await goTo(page, 'train');
  await expect(evaluate).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('The task has been changed. Its rows, its grader')).toBeVisible();
  await reachPhase(page, 'paused');
  expect((await snapshotOf(page)).evaluations).toEqual(here.evaluations);
});

slowTest(
  'a program that only fails pauses the run, and the weights are as they were',
  async ({ page, openPage }) => {
    // `run/loop/scoring` has it in Node.
    await openPage({ ...SMALL, problemsPerStep: 4 });
    await begin(page);
    await page.getByLabel('Grader').selectOption('code');
    // The worked answer, which is tried as the task is saved, has no tokens.
    const failing = 'if (completion.tokens.length > 0) throw new Error("never right");';
    await setProgram(page, `function score(problem, completion) { ${failing} return 1; }`);
    await expect(page.getByTestId('calculator-total')).toHaveText('1.00');
    await save(page);
    await page.getByTestId('train-button').click();
    await reachPhase(page, 'paused');
    await expect(notice(page, 'Your program failed')).toContainText('16 answers in a row');
    await expect(notice(page, 'Your program failed')).toContainText('never right');
    await expect(status(page)).toHaveAttribute('data-step', '0');
    const { run, evaluations } = await snapshotOf(page);

    await page.getByRole('button', { name: 'Edit or rename sums' }).click();
    await setProgram(
      page,
      'function score(problem, completion) { if (completion.text.length % 2) throw new Error("odd"); return 1; }',
    );
    await expect(page.getByTestId('own-save')).toHaveAttribute('aria-disabled', 'false');
    await save(page);
    await page.getByTestId('step-button').click();
    await reachStep(page, 1);
    // Rewards of two programs are not of one run.
    await expect(page.getByTestId('notices')).toContainText('The changed task starts a new run');
    const { rollouts, ...now } = await snapshotOf(page);
    expect(now.run).not.toBe(run);
    expect(now.evaluations[0]?.samples).not.toEqual(evaluations[0]?.samples);
    for (const { text, reward } of rollouts) {
      expect(reward.total).toBe(text.length % 2 ? 0 : 1);
      expect(reward.error === undefined).toBe(text.length % 2 === 0);
    }
  },
);
