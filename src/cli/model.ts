/**
 * `npx rl-playground model MODEL --in FILE.jsonl`: runs a model's tokenizer, template and weights on rows of questions. Exit codes: 0
 * answered, with or without errors in rows; 1 failed; 2 bad arguments, or a model or adapter that can't be used.
 */
import { accessSync, constants } from 'node:fs';
import { Option } from 'commander';
import { BASE_FORMATS, type BaseFormat } from '@rl-playground/engine/parts';
import { messageOf, BadInput, orBadInput } from '@rl-playground/base/errors';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { Inspection, ROW_FORMS } from '@rl-playground/run/inspect';
import { findModelNamed, modelFilesNamed } from '@rl-playground/run/models/node';
import { linesOf, write } from '@rl-playground/run/disk';
import { openModelPage } from './modelPage.ts';
import {
  adapterOption,
  allowServerOption,
  hubOptions,
  hubUrlOption,
  MODEL_NAMES,
  type HubWords,
} from './hubOptions.ts';
import { command, simpleProgram } from './program.ts';

interface Options extends HubWords {
  readonly adapter?: string;
  readonly baseFormat: BaseFormat;
  readonly backend: 'wasm' | 'webgpu';
  readonly in?: string;
}

const line = () =>
  command(
    'npx rl-playground model',
    'Answers each line of a file with one line of JSON, in order, and prints nothing else. An answer has the field "error" where a row can not be answered.',
    'starter --in rows.jsonl',
  )
    .argument('<model>', `${MODEL_NAMES}; its tokenizer alone will do`)
    .addOption(hubUrlOption())
    .addOption(allowServerOption())
    .option('--in <file>', 'rows, lines of JSON in the forms below; needed')
    .addOption(adapterOption())
    .addOption(
      new Option('--base-format <name>', 'what the weights are kept in (auto: in the words of their files)')
        .choices(BASE_FORMATS)
        .default('auto'),
    )
    .addOption(
      new Option('--backend <name>', 'where to compute: here, or on the GPU of a headless browser')
        .choices(['wasm', 'webgpu'])
        .default('wasm'),
    )
    .addHelpText('after', `\nRows:\n${ROW_FORMS.map((form) => `  ${form}`).join('\n')}`);

/** A model that answers rows, here or in a page. */
type Answerer = Awaited<ReturnType<typeof openModelPage>>;

async function inNode(model: string, { adapter, baseFormat, ...words }: Options): Promise<Answerer> {
  const files = await modelFilesNamed(model, hubOptions(words), adapter);
  await startBackendInNode();
  const inspection = await Inspection.open(files, baseFormat);
  return {
    answer: (row) => inspection.answer(row),
    close: () => Promise.resolve(inspection.dispose()),
  };
}

async function inPage(model: string, { adapter, baseFormat, ...words }: Options): Promise<Answerer> {
  const found = await findModelNamed(model, hubOptions(words), adapter);
  const asked = { model: found.model.label, adapter: found.adapter?.label ?? null, baseFormat };
  return openModelPage(asked, await found.fetched());
}

/** @throws BadInput if the model can't be opened for any reason. */
export async function openAnswerer(model: string, options: Omit<Options, 'in'>): Promise<Answerer> {
  try {
    return await (options.backend === 'wasm' ? inNode : inPage)(model, options);
  } catch (error) {
    throw new BadInput(messageOf(error).replaceAll('\n', ' '), { cause: error });
  }
}

export default simpleProgram<Options>(line, async (options, [model = '']) => {
  if (options.in === undefined) throw new BadInput('--in is missing; name the file of rows.');
  const path = fromCaller(options.in);
  orBadInput(
    () => accessSync(path, constants.R_OK),
    (why) => `${options.in} can't be read: ${why}.`,
  );
  const answerer = await openAnswerer(model, options);
  try {
    for await (const row of linesOf(path)) await write(`${await answerer.answer(row)}\n`);
  } finally {
    await answerer.close();
  }
});
