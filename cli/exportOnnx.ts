/**
 * `npm run export:onnx -- --model DIR|ZIP --out DIR`: writes a model folder or checkpoint as transformers.js loads it. Exit codes:
 * 0 done, 1 failed, 2 bad arguments.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { messageOf } from '../src/base/errors.ts';
import { loadModel } from '../src/hub/load.ts';
import { exportOnnx } from '../src/hub/onnx/export.ts';
import { onnxFolder } from '../src/hub/onnx/folder.ts';
import { filesInMemory } from '../src/hub/sources.ts';
import type { LoadedModel } from '../src/hub/types.ts';
import { readCheckpoint } from '../src/run/checkpoint/checkpoint.ts';
import { modelFolder } from './runDirectory.ts';

interface Options {
  readonly model: string;
  readonly out: string;
  readonly weights: 'float32' | 'float16';
}

const options = new Command('npm run export:onnx --')
  .description('Writes a model as a folder that transformers.js loads: onnx/model.onnx, configs, tokenizer.')
  .option(
    '--model <path>',
    'run directory, model folder in Hugging Face layout, or checkpoint zip',
    'public/models/starter',
  )
  .requiredOption('--out <folder>', 'folder to write')
  .addOption(
    new Option('--weights <type>', 'how weights are stored')
      .choices(['float32', 'float16'])
      .default('float32'),
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<Options>();

async function load(path: string): Promise<LoadedModel> {
  if (!existsSync(path)) {
    throw new Error(
      `There is no ${path}. --model needs a run directory, a model folder in Hugging Face layout, or a checkpoint zip.`,
    );
  }
  if (!statSync(path).isDirectory()) return (await readCheckpoint(readFileSync(path), path)).model;
  const folder = modelFolder(path);
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = entries.map(
    ({ name }) => [name, new Uint8Array(readFileSync(join(folder, name)))] as const,
  );
  return loadModel(filesInMemory(folder, new Map(contents)));
}

try {
  const model = await load(options.model);
  const onnx = exportOnnx(model.config, model.weights, { weightType: options.weights });
  const files = onnxFolder(model, onnx);
  for (const [name, bytes] of files) {
    const path = join(options.out, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  console.log(`wrote ${files.size} files to ${options.out}`);
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
