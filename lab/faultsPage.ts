/** The built page with a run in it: opening it, waiting for it, and the outcome of its run. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright';
import { SETTINGS_VERSION } from '@rl-playground/run/settings';
import { evalFileJson } from '@rl-playground/run/records';
import type { RunPhase } from '@rl-playground/run/session';
import { timeless } from '@rl-playground/run/metrics';

/** The milliseconds in which a page must be able to train. */
const PATIENCE = 120_000;

/** The page's address with settings. */
export function addressWith(url: string, settings: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams({ v: String(SETTINGS_VERSION) });
  for (const [key, value] of Object.entries(settings)) query.set(key, String(value));
  return `${url}?${query}`;
}

/** Waits until the page can train. */
export async function pageReady(page: Page): Promise<void> {
  await page.locator('[data-testid="status"]:not([data-phase="loading"])').waitFor({ timeout: PATIENCE });
}

/** Opens the page and waits until it can train. It can be left without a question. */
export async function openAt(page: Page, address: string): Promise<void> {
  page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
  await page.goto(address, { timeout: PATIENCE });
  await pageReady(page);
}

export const stepOf = (page: Page): Promise<number> =>
  page.evaluate(() => window.rlPlayground?.controller.snapshot().step ?? 0);

/** Waits until the page rests in one of the phases; resolves to it. */
export async function reachOneOf(
  page: Page,
  phases: readonly RunPhase[],
  timeout: number,
): Promise<RunPhase> {
  const found = await page.waitForFunction(
    (wanted) => {
      const phase = window.rlPlayground?.controller.snapshot().phase;
      return phase !== undefined && wanted.includes(phase) ? phase : null;
    },
    phases,
    { timeout },
  );
  return (await found.jsonValue()) ?? 'failed';
}

/** The result of a run: hashes of its weights and its optimizer, and its log without the numbers that the machine decides. */
export interface Outcome {
  readonly files: Readonly<Record<string, string>>;
  readonly metrics: readonly string[];
  readonly evaluations: readonly string[];
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function outcomeOf(page: Page): Promise<Outcome> {
  await page.getByTestId('export-menu').click();
  const [caught] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('download-button').click(),
  ]);
  const files = unzipSync(readFileSync(await caught.path()));
  const { metrics, evaluations } = await page.evaluate(() => {
    if (window.rlPlayground === undefined) throw new Error('The engine is not there yet.');
    const { metrics: steps, evaluations: results } = window.rlPlayground.controller.snapshot();
    return { metrics: steps, evaluations: results.map((result) => ({ ...result, seconds: 0 })) };
  });
  const names = ['model.safetensors', 'optimizer.safetensors', 'reference.safetensors'];
  return {
    files: Object.fromEntries(names.map((name) => [name, sha256(files[name] ?? new Uint8Array())])),
    metrics: timeless(metrics).map((record) => JSON.stringify(record)),
    // The form is that of their files: one that was read from there has its fields in another order.
    evaluations: evaluations.map((result) => JSON.stringify(evalFileJson(result))),
  };
}

/** The differences in words; null if there are none. */
export function differenceOf(found: Outcome, expected: Outcome): string | null {
  const files = Object.keys(expected.files).filter((name) => found.files[name] !== expected.files[name]);
  const step = expected.metrics.findIndex((record, i) => record !== found.metrics[i]);
  const problems = [
    ...files,
    ...(step >= 0 || found.metrics.length !== expected.metrics.length
      ? [`metrics from step ${step + 1} on (${found.metrics.length} of ${expected.metrics.length} steps)`]
      : []),
    ...(found.evaluations.join('\n') === expected.evaluations.join('\n') ? [] : ['evaluations']),
  ];
  return problems.length === 0 ? null : problems.join(', ');
}
