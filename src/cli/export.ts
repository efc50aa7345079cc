/**
 * `npx rl-playground export`: a run's model in the files of other programs, in a folder or sent to the Hub. Exit codes: 0 done, 1 failed, 2 bad
 * arguments, or a model or repository that can't be used.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { grouped, bytesText, plural } from '@rl-playground/base/text';
import { fromCaller } from '@rl-playground/engine/parts/node';
import type { OpenFile } from '@rl-playground/engine/parts';
import { exportFiles } from '@rl-playground/bridges/export';
import { EXPORT_FORMATS, WEIGHT_TYPES, type ExportFormat, type WeightType } from '@rl-playground/run/export';
import { loadModelNamed } from '@rl-playground/run/models/node';
import { readRun } from './exportSource.ts';
import { allowServerOption, hubOptions, hubUrlOption, MODEL_NAMES, type HubWords } from './hubOptions.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { BadInput } from '@rl-playground/base/errors';
import { command, simpleProgram } from './program.ts';
import { writeWholeFolder } from './wholeFolder.ts';
import { pathToFileURL } from 'node:url';
import { pushFiles, type PushProgress } from '@rl-playground/bridges/push';
import { checkTarget, type PushTarget } from '@rl-playground/bridges/push/target';
import { hubSecret } from '@rl-playground/bridges/trackers';

/** Checks the target before anything is computed. @throws BadInput, ModelFileError */
function pushTarget(repo: string, isPrivate: boolean, { hubUrl }: HubWords): PushTarget {
  const secret = hubSecret(hubUrl, process.env);
  if (secret === undefined) throw new BadInput('--push needs a token that may write, in HF_TOKEN.');
  const target = { repo, isPrivate, secret, ...(hubUrl === undefined ? {} : { hubUrl }) };
  checkTarget(target);
  return target;
}

const WORDS = { hashing: 'checksums', sending: 'sent', committing: 'committing' } as const;
/** Milliseconds between two lines. */
const LINE_MILLISECONDS = 2000;

/** Sends the files in `folder` under their names. @throws ModelFileError that says what to do */
async function pushFolder(
  folder: string,
  files: ReadonlyMap<string, OpenFile>,
  target: PushTarget,
): Promise<void> {
  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  printLine(`sending ${plural(files.size, 'file')}, ${bytesText(bytes)}, to ${target.repo}`);
  const onDisk = [...files].map(
    ([name, { size }]) => [name, { size, content: pathToFileURL(join(folder, name)) }] as const,
  );
  let said = performance.now();
  const { url, commit } = await pushFiles(() => Promise.resolve(new Map(onDisk)), target, {
    onProgress: ({ stage, done, total }: PushProgress) => {
      if (performance.now() - said < LINE_MILLISECONDS) return;
      said = performance.now();
      printProblem(`${WORDS[stage]}: ${bytesText(done)} of ${bytesText(total)}`);
    },
    onRetry: (why) => printProblem(`${why}; trying again`),
  });
  printLine(`${url}${commit === null ? '' : ` at commit ${commit}`}`);
}

interface Options extends HubWords {
  readonly model: string;
  readonly base?: string;
  readonly format: ExportFormat;
  readonly dtype: WeightType;
  readonly out?: string;
  readonly push?: string;
  readonly private?: true;
  readonly public?: true;
}

const line = () =>
  command(
    'npx rl-playground export',
    "Writes a run's model as other programs load it: merged, its LoRA adapter alone, as ONNX for transformers.js, or as GGUF for llama.cpp.",
    '--model runs/a --format merged --dtype base --out exported',
  )
    .option('--model <name>', `run directory, checkpoint, or any model: ${MODEL_NAMES}`, 'starter')
    .addOption(hubUrlOption())
    .addOption(allowServerOption())
    .option('--base <name>', 'the model that the run began from (default: as the run recorded it)')
    .addOption(new Option('--format <name>', 'what to write').choices(EXPORT_FORMATS).default('merged'))
    .addOption(
      new Option(
        '--dtype <type>',
        'what weights are stored as; base: each as the base has it; with Q: blocks, for gguf alone. Sums are made in f32 first',
      )
        .choices(WEIGHT_TYPES)
        .default('F32'),
    )
    .option('--out <folder>', 'folder to write')
    .option(
      '--push <repository>',
      'send it to a model repository of the Hub (org/name), made where there is none, with a token that may write there from HF_TOKEN',
    )
    .addOption(new Option('--private', 'a repository that is made is closed to others (default)'))
    .addOption(new Option('--public', 'a repository that is made is open to everyone').conflicts('private'));

const sayWritten = (name: string, { size }: OpenFile): void => printLine(`${name}  ${grouped(size)} bytes`);

/** Does `work` with a folder that is gone afterwards. */
async function inScratchFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rl-playground-export-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export default simpleProgram<Options>(
  line,
  async ({ model, base, format, dtype, out, push, public: isPublic, ...words }) => {
    if (out === undefined && push === undefined)
      throw new BadInput('--out is missing; name the folder to write, or a repository with --push.');
    const target = push === undefined ? null : pushTarget(push, isPublic !== true, words);
    const options = hubOptions(words);
    const parts = await readRun(model, base ?? null, options);
    const began = base === undefined ? parts.model : await loadModelNamed(base, options);
    const files = await exportFiles(parts, {
      format,
      type: dtype,
      base: began.weights,
    });
    if (out !== undefined) {
      await writeWholeFolder(fromCaller(out), files, sayWritten);
      printLine(`wrote ${files.size} files to ${out}`);
      if (target) await pushFolder(fromCaller(out), files, target);
    } else if (target)
      await inScratchFolder(async (folder) => {
        const whole = join(folder, 'model');
        await writeWholeFolder(whole, files, sayWritten);
        await pushFolder(whole, files, target);
      });
  },
);
