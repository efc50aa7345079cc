/** `npm run lab -- bench`: times this project beside its peers. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { loadWeights, OpenFolder, writeSafetensors } from '@rl-playground/engine/parts';
import { filesAtPath } from '@rl-playground/engine/parts/node';
import { rowText, targetTable } from './report.ts';
import type { BenchListener, BenchOptions } from './run.ts';
import type { BenchMachine, BenchReport, BenchResult } from './types.ts';
import { isGgufFile, parseBenchArguments, type BenchArguments, type ModelChoice } from './benchArguments.ts';
import { BENCH_BUILD } from './benchBuild.ts';
import { benchInBrowser } from './benchPage.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { visibleJson } from '@rl-playground/base/visibleText';
import { ensureBuilt } from '../../src/cli/build.ts';
import { program } from '../../src/cli/program.ts';
import { PythonPeers } from './pythonPeers.ts';
import { serve } from '../../src/cli/serve.ts';
import { writeShapedModel } from '../shapedModel.ts';
import { repository } from '../../src/cli/tools.ts';

/** The model's folder; null for random weights. */
function pathOf(model: ModelChoice): string | null {
  if (model.kind === 'shape') return null;
  return model.kind === 'path' ? model.path : join(repository, 'public/models/starter');
}

/** The folder of a GGUF file's numbers in f32, written where it does not exist yet. */
async function unpackedFolder(path: string): Promise<string> {
  const folder = join(tmpdir(), `rl-playground-${basename(path)}-f32`);
  if (existsSync(join(folder, 'config.json'))) return folder;
  mkdirSync(folder, { recursive: true });
  const files = OpenFolder.of(await filesAtPath(path));
  const { weights } = await loadWeights(files);
  writeFileSync(join(folder, 'model.safetensors'), writeSafetensors(weights));
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json', 'config.json']) {
    const bytes = await files.read(name);
    if (bytes) writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

/** The folder that peers in Python read. */
async function folderOf(path: string | null): Promise<string | null> {
  return path !== null && isGgufFile(path) ? unpackedFolder(path) : path;
}

/** Gives random weights a folder, because peers in Python read files. */
function withFiles(model: ModelChoice): ModelChoice {
  if (model.kind !== 'shape') return model;
  const path = join(tmpdir(), `rl-playground-${model.name}-bf16`);
  writeShapedModel(path, model.name, 'BF16');
  return { kind: 'path', path };
}

/** A folder of links to the files of the page and to a model, which must not get into what is built. */
function servedFolder(model: Readonly<Record<string, string>>): string {
  const page = join(repository, BENCH_BUILD.folder);
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-bench-'));
  for (const name of readdirSync(page)) symlinkSync(join(page, name), join(folder, name));
  for (const [name, path] of Object.entries(model)) symlinkSync(path, join(folder, name));
  return folder;
}

/** Serves the page while the benchmark runs, with the model's files in its folder. */
async function measured(
  { python, model: chosen, ...options }: BenchArguments,
  listener: BenchListener,
): Promise<BenchReport> {
  await ensureBuilt((text) => printProblem(text.trimEnd()), BENCH_BUILD);
  const model = python === null ? chosen : withFiles(chosen);
  const path = pathOf(model);
  const name = path !== null && isGgufFile(path) ? 'model.gguf' : 'model/';
  const folder = servedFolder(path === null ? {} : { [name.replace('/', '')]: path });
  const page = await serve({ port: 0, folder });
  const peers = python === null ? null : new PythonPeers(python, await folderOf(path));
  const source: BenchOptions['model'] =
    model.kind === 'shape'
      ? model
      : {
          kind: 'folder',
          label: path ?? '',
          address: `${page.url}${name}`,
        };
  try {
    return await benchInBrowser(page.url, { ...options, model: source }, peers, listener);
  } finally {
    peers?.dispose();
    await page.close();
    rmSync(folder, { recursive: true });
  }
}

async function bench(words: BenchArguments): Promise<void> {
  // With JSON on standard output, what is for people goes beside it.
  const say = words.json ? printProblem : printLine;
  const record = (line: BenchMachine | BenchResult): void => {
    if (words.json) printLine(visibleJson(JSON.stringify(line)));
  };
  const report = await measured(words, {
    started: record,
    next: say,
    measured(row) {
      record(row);
      say(rowText(row));
    },
  });
  say(`\n${targetTable(report.results)}\n`);
  say(`${report.adapter}, backend ${report.backend}: ${report.results.length} rows`);
}

export default program(parseBenchArguments, bench);
