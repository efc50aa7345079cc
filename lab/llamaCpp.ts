/**
 * `npm run lab -- llamaCpp`: a GGUF file in llama.cpp beside the same file here. llama.cpp comes by node-llama-cpp, which lies in a folder
 * outside of the repository. Exit codes: 0 texts are cut alike and answers begin alike, 1 they do not, 2 bad arguments or a file that can't be used.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { BadInput, messageOf } from '@rl-playground/base/errors';
import { printLine } from '@rl-playground/base/print';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { openAnswerer } from '../src/cli/model.ts';
import { command, simpleProgram } from '../src/cli/program.ts';

interface Options {
  readonly adapter?: string;
  readonly lora?: string;
  readonly vulkan?: true;
}

/** Texts that are continued. */
const BEGUN = [
  'The capital of France is',
  'Once upon a time there was a small robot who',
  'def add(a, b):\n    return',
  '2 + 2 = 4\n3 + 5 =',
  'Water boils at a temperature of',
  'The three primary colours are red,',
];
/** Texts that only become ids: spaces, digits, breaks, accents, other scripts. */
const CUT = ['  two spaces 12345 and 1,000.50', "it's café, naïve; 東京は\n\n\tdone", '🙂 ok'];
const TOKENS = 24;

const line = () =>
  command(
    'npm run lab -- llamaCpp',
    'Asks llama.cpp and this project for the ids of texts and for greedy answers of 24 tokens, both with one GGUF file. Beside blocks llama.cpp rounds activations to 8 bits, so its answers part from ours where two tokens are about as likely.',
    'model.gguf ../llama',
  )
    .argument('<model>', 'the GGUF file')
    .argument('<folder>', 'the folder whose node_modules has node-llama-cpp')
    .option('--adapter <folder>', 'LoRA adapter in PEFT’s files, for this project')
    .option('--lora <file>', 'the same adapter as GGUF, for llama.cpp')
    .option('--vulkan', 'let llama.cpp compute on a Vulkan device, which leaves activations as they are');

/** The part of node-llama-cpp that is used here. */
interface LlamaCpp {
  readonly getLlama: (options: object) => Promise<{
    loadModel: (options: object) => Promise<{
      tokenize: (text: string, specialTokens: boolean) => number[];
      isEogToken: (token: number) => boolean;
      readonly tokens: { readonly bos: number | null; readonly shouldPrependBosToken: boolean };
      createContext: (options: object) => Promise<{
        getSequence: () => {
          clearHistory: () => Promise<void>;
          evaluate: (ids: readonly number[], options: object) => AsyncIterable<number>;
        };
      }>;
    }>;
  }>;
}

async function openLlama(folder: string): Promise<LlamaCpp> {
  const place = resolve(fromCaller(folder), 'node_modules/node-llama-cpp/dist/index.js');
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(place).href)) as LlamaCpp;
  } catch (error) {
    throw new BadInput(
      `${place} can't be loaded: ${messageOf(error)}. Run npm install node-llama-cpp there.`,
      {
        cause: error,
      },
    );
  }
}

const answered = z.object({ ids: z.array(z.number()) });

export default simpleProgram<Options>(line, async ({ adapter, lora, vulkan }, [path = '', folder = '']) => {
  const { getLlama } = await openLlama(folder);
  const llama = await getLlama({ gpu: vulkan ? 'vulkan' : false, logLevel: 'error', build: 'never' });
  const model = await llama.loadModel({ modelPath: fromCaller(path), gpuLayers: vulkan ? 'max' : 0 });
  const context = await model.createContext({
    contextSize: 512,
    // Its default rounds keys and values to 16 bit.
    experimentalKvCacheKeyType: 'F32',
    experimentalKvCacheValueType: 'F32',
    // Several threads spin while they wait for one that a busy machine holds up.
    threads: 1,
    ...(lora === undefined ? {} : { lora: { adapters: [{ filePath: fromCaller(lora), scale: 1 }] } }),
  });
  const sequence = context.getSequence();
  const answerer = await openAnswerer(path, {
    backend: 'wasm',
    baseFormat: 'auto',
    ...(adapter === undefined ? {} : { adapter }),
  });
  const ask = async (row: object): Promise<number[]> =>
    answered.parse(JSON.parse(await answerer.answer(JSON.stringify(row)))).ids;
  const continued = async (ids: readonly number[]): Promise<number[]> => {
    await sequence.clearHistory();
    const found: number[] = [];
    for await (const token of sequence.evaluate(ids, { temperature: 0, yieldEogToken: true })) {
      found.push(token);
      if (found.length === TOKENS || model.isEogToken(token)) break;
    }
    return found;
  };
  let otherwise = 0;
  let begunAlike = 0;
  try {
    for (const text of [...BEGUN, ...CUT]) {
      const [theirs, ours] = [model.tokenize(text, true), await ask({ op: 'encode', text })];
      const begun = theirs.length - ours.length;
      // llama.cpp may put the token in front that begins a text.
      if (theirs.slice(begun).join() === ours.join() && begun <= 1) continue;
      otherwise++;
      printLine(`${JSON.stringify(text)}: llama.cpp has ${theirs.join()}, and we have ${ours.join()}`);
    }
    printLine(
      `${BEGUN.length + CUT.length - otherwise} of ${BEGUN.length + CUT.length} texts are cut alike.`,
    );
    for (const text of BEGUN) {
      const { bos, shouldPrependBosToken } = model.tokens;
      const cut = model.tokenize(text, true);
      const ids = bos === null || !shouldPrependBosToken || cut[0] === bos ? cut : [bos, ...cut];
      const [theirs, ours] = [await continued(ids), await ask({ op: 'greedy', ids, max: TOKENS })];
      const other = ours.findIndex((id, at) => theirs[at] !== id);
      const alike = other < 0 ? ours.length : other;
      begunAlike += alike > 0 ? 1 : 0;
      printLine(`${JSON.stringify(text)}: ${alike} of ${ours.length} tokens are equal.`);
    }
  } finally {
    await answerer.close();
  }
  return otherwise === 0 && begunAlike > 0 ? 0 : 1;
});
