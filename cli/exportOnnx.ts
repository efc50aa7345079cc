/** `npm run export:onnx`: a model folder or checkpoint as transformers.js loads it. Exit codes: 0 done, 1 failed, 2 bad arguments. */
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option } from 'commander';
import { filesAtPath, filesInFolder } from '../src/hub/filesInNode.ts';
import { loadModel } from '../src/hub/load.ts';
import { exportOnnx } from '../src/hub/onnx/export.ts';
import { onnxFolder } from '../src/hub/onnx/folder.ts';
import type { LoadedModel } from '../src/hub/types.ts';
import { widened } from '../src/model/storedWeights.ts';
import { readCheckpoint } from '../src/run/checkpoint/checkpoint.ts';
import { BadInput, command, simpleProgram } from './program.ts';
import { modelFolder } from './runDirectory.ts';

interface Options {
  readonly model: string;
  readonly out?: string;
  readonly weights: 'float32' | 'float16';
}

const line = () =>
  command(
    'npm run export:onnx --',
    'Writes a model as a folder that transformers.js loads: onnx/model.onnx, configs, tokenizer.',
    '--model runs/a --out exported --weights float16',
  )
    .option(
      '--model <path>',
      'run directory, model folder in Hugging Face layout, or checkpoint zip',
      'public/models/starter',
    )
    .option('--out <folder>', 'folder to write; needed')
    .addOption(
      new Option('--weights <type>', 'how weights are stored')
        .choices(['float32', 'float16'])
        .default('float32'),
    );

async function load(path: string): Promise<LoadedModel> {
  if (!existsSync(path))
    throw new BadInput(
      `There is no ${path}. --model needs a run directory, a model folder in Hugging Face layout, or a checkpoint zip.`,
    );
  if (statSync(path).isDirectory()) return loadModel(filesInFolder(modelFolder(path)));
  return (await readCheckpoint(await filesAtPath(path))).model;
}

export default simpleProgram<Options>(line, async ({ model: path, out, weights }) => {
  if (out === undefined) throw new BadInput('--out is missing; name the folder to write.');
  const model = await load(path);
  const files = onnxFolder(
    model,
    exportOnnx(model.config, await widened(model.weights), { weightType: weights }),
  );
  for (const [name, bytes] of files) {
    const file = join(out, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
  console.log(`wrote ${files.size} files to ${out}`);
});
