/** `npm run lab -- bench`: times this project beside its peers. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesAtPath } from '@rl-playground/engine/parts/node';
import { benchReport, targetTable } from './report.ts';
import type { BenchOptions, BenchOutcome } from './run.ts';
import { findModelNamed } from '@rl-playground/run/models/node';
import { parseBenchArguments, type BenchArguments } from './benchArguments.ts';
import { BENCH_PAGE, benchInBrowser, buildBenchPage } from './benchPage.ts';
import { hubOptions } from '../../src/cli/hubOptions.ts';
import { printRow, progressPrinter } from './benchProgress.ts';
import { replaceFile } from '@rl-playground/run/disk';
import { printLine } from '@rl-playground/base/print';
import { program } from '../../src/cli/program.ts';
import { PythonPeers } from './pythonPeers.ts';
import { serve } from '../../src/cli/serve.ts';
import { serveModel } from '../../src/cli/serveModel.ts';
import { writeShapedModel } from '../shapedModel.ts';
import { repository } from '../../src/cli/tools.ts';

function optionsOf(words: LocalArguments, model: BenchOptions['model']): BenchOptions {
  const { suites, backend, repeats, quick, rollouts, tokens } = words;
  return { suites, backend, model, repeats, quick, rollouts, tokens };
}

/** A model that is on this machine. */
type LocalModel = Exclude<BenchArguments['model'], { kind: 'remote' }>;
type LocalArguments = Omit<BenchArguments, 'model'> & { readonly model: LocalModel };

/** Returns the model; one of a server is fetched. */
async function localModel({ model, hub }: BenchArguments): Promise<LocalModel> {
  if (model.kind !== 'remote') return model;
  const found = await findModelNamed(model.name, hubOptions(hub));
  return { kind: 'path', path: (await found.fetched()).model };
}

/** The model's folder; null for random weights. */
function pathOf(model: LocalModel): string | null {
  if (model.kind === 'shape') return null;
  return model.kind === 'path' ? model.path : join(repository, 'public/models/starter');
}

const labelOf = (model: LocalModel): string => (model.kind === 'path' ? model.path : model.kind);

/** Gives random weights a folder, because peers in Python read files. */
function withFiles(model: LocalModel): LocalModel {
  if (model.kind !== 'shape') return model;
  const path = join(tmpdir(), `rl-playground-${model.name}-bf16`);
  writeShapedModel(path, model.name, 'BF16');
  return { kind: 'path', path };
}

/** Runs in a browser. The model's files are served beside the page while the benchmark runs. */
async function inBrowser(words: LocalArguments): Promise<BenchOutcome> {
  await buildBenchPage();
  const model = words.python === null ? words.model : withFiles(words.model);
  const page = await serve({ port: 0, folder: BENCH_PAGE });
  const path = pathOf(model);
  const folder = path === null ? null : await serveModel(await filesAtPath(path), page.url);
  const peers = words.python === null ? null : new PythonPeers(words.python, path);
  const source: BenchOptions['model'] =
    model.kind === 'shape' ? model : { kind: 'folder', label: labelOf(model), address: folder?.url ?? '' };
  try {
    const listener = { onProgress: progressPrinter(), onRow: printRow };
    return await benchInBrowser(page.url, optionsOf(words, source), listener, peers);
  } finally {
    peers?.dispose();
    await Promise.all([page.close(), folder?.close()]);
  }
}

/** Runs in a process of its own, which is judged by the result that it leaves. */
async function inNode(words: LocalArguments): Promise<BenchOutcome> {
  const { model } = words;
  const path = pathOf(model);
  const source: BenchOptions['model'] =
    model.kind === 'shape' ? model : { kind: 'folder', label: labelOf(model), address: path ?? '' };
  const exchange = mkdtempSync(join(tmpdir(), 'rl-playground-bench-'));
  const optionsFile = join(exchange, 'options.json');
  const resultFile = join(exchange, 'result.json');
  try {
    writeFileSync(optionsFile, JSON.stringify(optionsOf(words, source)));
    const program = [join(repository, 'src/cli/run.mjs'), 'lab/bench/benchNode', optionsFile, resultFile];
    const code = await new Promise<number | string>((resolve, reject) => {
      const child = spawn(process.execPath, program, { stdio: 'inherit' });
      child.once('error', reject);
      child.once('close', (status, signal) => resolve(status ?? signal ?? 'unknown'));
    });
    if (!existsSync(resultFile)) {
      throw new Error(`The benchmark in Node ended (${code}) before it had a result; see above.`);
    }
    return JSON.parse(readFileSync(resultFile, 'utf8')) as BenchOutcome;
  } finally {
    rmSync(exchange, { recursive: true, force: true });
  }
}

async function bench(words: BenchArguments): Promise<void> {
  const { json } = words;
  if (json !== null) {
    mkdirSync(dirname(json), { recursive: true });
    writeFileSync(json, '', { flag: 'a' });
  }
  const local = { ...words, model: await localModel(words) };
  const outcome = await (words.runtime === 'node' ? inNode(local) : inBrowser(local));
  printLine(`\n${targetTable(outcome.rows)}\n`);
  printLine(`${outcome.adapter}, backend ${outcome.backend}: ${outcome.rows.length} rows`);
  if (json !== null) replaceFile(json, `${JSON.stringify(benchReport(outcome), null, 2)}\n`);
}

export default program(parseBenchArguments, bench);
