/** `npm run bench`: times this project beside its peers. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { benchReport, rowText } from '../src/bench/report.ts';
import { STARTER_SOURCE } from '../src/bench/types.ts';
import type { BenchOptions, BenchOutcome, BenchProgress } from '../src/bench/run.ts';
import { messageOf } from '../src/hub/errors.ts';
import { parseBenchArguments } from './benchArguments.ts';
import type { BenchArguments, ModelChoice } from './benchArguments.ts';
import { benchInBrowser } from './benchPage.ts';
import { ensureBuilt } from './build.ts';
import { serve, serveFolder } from './serve.ts';
import type { ServedPage } from './serve.ts';

/** Overwrites one line on a terminal; elsewhere says each thing that is timed once. */
function progressPrinter(): (progress: BenchProgress) => void {
  let said = '';
  return ({ done, total, text }) => {
    const count = `[${Math.min(done + 1, total)}/${total}]`;
    if (process.stdout.isTTY) {
      process.stdout.write(`\r\x1b[K${count} ${text}`);
      if (done === total) process.stdout.write('\r\x1b[K');
      return;
    }
    const [what = ''] = text.split(': ');
    if (what === said || done === total) return;
    said = what;
    console.log(`${count} ${what}`);
  };
}

function printRow(text: string): void {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
  console.log(text);
}

/** A folder of this machine is served beside the page while the benchmark runs. */
async function modelSource(
  choice: ModelChoice,
): Promise<{ source: BenchOptions['model']; host: ServedPage | null }> {
  switch (choice.kind) {
    case 'starter':
      return { source: STARTER_SOURCE, host: null };
    case 'shape':
      return { source: choice, host: null };
    case 'path': {
      const host = await serveFolder(choice.path);
      return { source: { kind: 'folder', label: choice.path, address: host.url }, host };
    }
  }
}

async function inBrowser(words: BenchArguments): Promise<BenchOutcome> {
  await ensureBuilt();
  const page = await serve({ port: 0 });
  const { source, host } = await modelSource(words.model);
  try {
    const { suites, backend, repeats, quick, rollouts, tokens } = words;
    return await benchInBrowser(
      page.url,
      { suites, backend, model: source, repeats, quick, rollouts, tokens },
      { onProgress: progressPrinter(), onRow: (row) => printRow(rowText(row)) },
    );
  } finally {
    await Promise.all([page.close(), host?.close()]);
  }
}

async function main(): Promise<number> {
  const words = parseBenchArguments(process.argv.slice(2));
  if ('exitCode' in words) {
    (words.exitCode === 0 ? console.log : console.error)(words.text);
    return words.exitCode;
  }
  const { json } = words;
  if (json !== null) {
    mkdirSync(dirname(json), { recursive: true });
    writeFileSync(json, '', { flag: 'a' });
  }
  const outcome = await inBrowser(words);
  console.log(`\n${outcome.adapter}, backend ${outcome.backend}: ${outcome.rows.length} rows`);
  if (json !== null) writeFileSync(json, `${JSON.stringify(benchReport(outcome), null, 2)}\n`);
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
