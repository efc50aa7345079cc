/**
 * `npm run lab -- showpiece PRESET FILE`: a first visit to a finished run of a real model, as a person makes it: the page is opened with an
 * empty cache, the model's file is given to a card of the first screen, and Train is pressed. Afterwards both sides of the run are
 * asked in a chat, and the prompts that it was not trained on. Exit codes: 0 done, 1 failed, 2 bad arguments.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { printLine } from '@rl-playground/base/print';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { command, simpleProgram } from '../src/cli/program.ts';
import { onBuiltPage } from './builtPage.ts';

interface Options {
  readonly pictures?: string;
  readonly question: string;
}

/** Milliseconds for a whole run on two cores. */
const PATIENCE = { timeout: 3_600_000 };
const SIZE = { width: 1280, height: 900 };

const line = () =>
  command(
    'npm run lab -- showpiece',
    'Times a first visit to a finished run of a real model, begun by a card of the first screen, and chats with it afterwards.',
    'gemma3-json gemma-3-270m-Q4_K_M.gguf --pictures shots',
  )
    .argument('<preset>', 'of the card')
    .argument('<file>', 'the model’s GGUF file, which stands for the download')
    .option('--pictures <folder>', 'where pictures of the page go')
    .option('--question <text>', 'for the chat at the end', 'What is the capital of Italy?');

const reach = (page: Page, phase: string): Promise<void> =>
  page.locator(`[data-testid="status"][data-phase="${phase}"]`).waitFor(PATIENCE);

/** The words of a part of the page. */
const wordsOf = async (page: Page, testId: string): Promise<string> =>
  (await page.getByTestId(testId).innerText()).replaceAll(/\s*\n\s*/g, ' · ');

async function chat(page: Page, question: string): Promise<void> {
  await page.getByTestId('ask-question').fill(question);
  await page.getByTestId('ask-button').click();
  await page.locator('[data-testid="ask-answers"][data-done="true"]').waitFor(PATIENCE);
  await page.getByTestId('ask').scrollIntoViewIfNeeded();
}

export default simpleProgram<Options>(line, ({ pictures, question }, [preset = '', file = '']) =>
  onBuiltPage('none', async (url, browser) => {
    const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light', serviceWorkers: 'block' });
    page.setDefaultTimeout(PATIENCE.timeout);
    const began = performance.now();
    const folder = pictures === undefined ? null : fromCaller(pictures);
    if (folder !== null) mkdirSync(folder, { recursive: true });
    const picture = async (name: string): Promise<void> => {
      if (folder !== null)
        await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
    };
    const reached = async (what: string, name: string): Promise<void> => {
      printLine(`${((performance.now() - began) / 1000).toFixed(1)} s  ${what}`);
      await picture(name);
    };
    await page.goto(`${url}?backend=wasm`);
    await page.getByTestId(`showpiece-${preset}`).waitFor();
    await reach(page, 'idle');
    await reached('the first screen', 'first');
    await page.getByTestId(`file-${preset}`).setInputFiles(fromCaller(file));
    await page.locator(`[data-testid="showpiece-${preset}"] [aria-pressed="true"]`).waitFor();
    await reached('the model is loaded', 'loaded');
    await page.getByTestId('train-button').click();
    await page.locator('[data-testid="status"]:not([data-step="0"])').waitFor(PATIENCE);
    await reached('the first step', 'training');
    await reach(page, 'finished');
    await page.getByTestId('end-card').waitFor();
    await reached('the run has finished', 'end');
    printLine(await wordsOf(page, 'end-card'));
    await page.getByTestId('place-answers').click();
    await chat(page, question);
    await picture('chat');
    printLine(await wordsOf(page, 'ask-answers'));
    await page.getByTestId('untrained').getByRole('button').click();
    await page.getByTestId('untrained').getByText('After step').first().waitFor();
    await page.getByTestId('untrained').scrollIntoViewIfNeeded();
    await picture('untrained');
    printLine(await wordsOf(page, 'untrained'));
  }),
);
