/**
 * `npm run lab -- usability`: five scripted trials of the built page, each step timed, with clicks, keys, scrolling and hesitations counted;
 * writes docs/usability.md. Exit codes: 0 done, 1 failed, 2 bad arguments.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { chromium, type Browser } from 'playwright';
import { SETTINGS_VERSION } from '../src/config/settingsVersion.ts';
import { ensureBrowser, launchArguments } from '../cli/browser.ts';
import { ensureBuilt } from '../cli/build.ts';
import { printLine } from '../cli/print.ts';
import { command, simpleProgram } from '../cli/program.ts';
import { serve } from '../cli/serve.ts';
import { repository } from '../cli/tools.ts';
import { Hand, type Taken } from './usability/hand.ts';
import { TRIALS, type Trial } from './usability/trials.ts';

const NAMES = TRIALS.map(({ title }) => title);
/** Runs that are short, for nothing here depends on how long they are. */
const SHORT = { task: 'reverse_digits', numSteps: '8', evalSamples: '16', evalEvery: '0' };

interface Options {
  readonly trials: readonly string[];
  readonly out: string;
}

interface Outcome {
  readonly trial: Trial;
  /** From the address to the model, seconds. */
  readonly opened: number;
  readonly steps: readonly (Taken | string)[];
}

async function hold(browser: Browser, url: string, trial: Trial): Promise<Outcome> {
  const { viewport, touch = false } = trial;
  const context = await browser.newContext({
    viewport,
    hasTouch: touch,
    serviceWorkers: 'block',
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  try {
    const page = await context.newPage();
    const words = { backend: 'wasm', v: String(SETTINGS_VERSION), ...SHORT };
    const began = performance.now();
    await page.goto(`${url}?${new URLSearchParams(words).toString()}`);
    const hand = new Hand(page);
    await hand.watch({ phase: 'idle' });
    const opened = (performance.now() - began) / 1000;
    const steps: (Taken | string)[] = [];
    for (const { wants, act } of trial.steps) {
      try {
        steps.push(await hand.take(act));
      } catch (error) {
        steps.push(error instanceof Error ? error.message.split('\n').slice(0, 2).join(' ') : String(error));
      }
      printLine(`${trial.title}, ${wants}: ${JSON.stringify(steps.at(-1))}`);
    }
    return { trial, opened, steps };
  } finally {
    await context.close();
  }
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function table({ trial, opened, steps }: Outcome): string {
  const rows = trial.steps.map(({ wants, changed = '' }, i) => {
    const taken = steps[i];
    if (taken === undefined || typeof taken === 'string')
      return `| ${cell(wants)} | – | – | – | – | dead end: ${cell(taken ?? 'not tried')} | ${cell(changed)} |`;
    const { seconds, clicks, keys, screens, hesitations } = taken;
    const numbers = [seconds.toFixed(1), String(clicks), String(keys), screens.toFixed(1)];
    return `| ${cell(wants)} | ${numbers.join(' | ')} | ${cell(hesitations.join('; '))} | ${cell(changed)} |`;
  });
  return `## ${trial.title}

Somebody who ${trial.who}; ${trial.viewport.width} x ${trial.viewport.height}. The model was there after ${opened.toFixed(1)} s; Train can be pressed before.

| wants | seconds | clicks | keys | screens scrolled | hesitations | what changed because of it |
| --- | ---: | ---: | ---: | ---: | --- | --- |
${rows.join('\n')}
`;
}

const document = (outcomes: readonly Outcome[]): string => `# Usability: scripted trials

These are **scripts, not people**: \`npm run lab -- usability\` plays five visitors on the built page with Playwright and writes this file. A
script knows where it wants to go, so its seconds are the page's alone, a lower bound for a person's. What it can tell is where the page
makes somebody wait, scroll, press often or meet something that can not be pressed: those are counted as hesitations. A step counts as
one where something is more than two screens away, more than twelve tab stops away, or can not be pressed yet.

Made on ${new Date().toISOString().slice(0, 10)} on ${cpus().length} cores shared with other work (load ${loadavg()[0]?.toFixed(0)}), so seconds are longer than on an idle machine; runs of ${SHORT.numSteps} steps of
\`${SHORT.task}\` on the CPU.

${outcomes.map(table).join('\n')}
## What is left

The menu Export and the part for a class are a screen or two away from the results; the command palette (Ctrl+K) leads to both. A script
hesitates at nothing that it was written to find: what people would stumble over, people have to show.
`;

const line = () =>
  command(
    'npm run lab -- usability',
    'Plays five visitors on the built page, and writes docs/usability.md.',
    '',
  )
    .addOption(new Option('--trials <names...>', 'which').choices(NAMES).default(NAMES))
    .option('--out <file>', 'where it is written', join(repository, 'docs/usability.md'));

export default simpleProgram<Options>(line, async ({ trials, out }) => {
  await ensureBuilt();
  const { executablePath } = ensureBrowser();
  const host = await serve({ port: 0 });
  const browser = await chromium.launch({ executablePath, args: launchArguments('none') });
  try {
    const outcomes: Outcome[] = [];
    for (const trial of TRIALS)
      if (trials.includes(trial.title)) outcomes.push(await hold(browser, host.url, trial));
    writeFileSync(out, document(outcomes));
  } finally {
    await browser.close();
    await host.close();
  }
});
