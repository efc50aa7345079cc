/**
 * `npm run lab -- formats` compares what a model says in each format of its frozen base with what it says in f32: the divergence of the next
 * token's distribution, the perplexity, how often the likeliest token stays, and how fast it samples and learns. Exit codes: 0 done, 2 bad arguments or a model that can't be used.
 */
import { readFileSync } from 'node:fs';
import { BadInput } from '@rl-playground/base/errors';
import { printLine } from '@rl-playground/base/print';
import { bytesText } from '@rl-playground/base/text';
import {
  BASE_FORMATS,
  breatheIfDue,
  loadModel,
  type BaseFormat,
  type LoadedModel,
} from '@rl-playground/engine/parts';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { startBackendInNode } from '@rl-playground/engine/parts/startInNode';
import { FrozenBase, LanguageModel, logitsOf, tf } from '@rl-playground/engine/parts/tensors';
import { modelFilesNamed } from '@rl-playground/run/models/node';
import { command, simpleProgram } from '../src/cli/program.ts';
import { BATCH, speedsOf, TRAINED, type FormatSpeeds } from './formatSpeeds.ts';
import { tableOf, tableRow } from './markdown.ts';

interface Options {
  readonly text: string;
  readonly tokens: string;
  readonly formats: string;
  readonly bos?: true;
  readonly of?: string;
}

/** The tokens of a sequence. */
const LENGTH = 64;
/** Logits that are on the device at a time. */
const CHUNK = 2 ** 22;

const line = () =>
  command(
    'npm run lab -- formats',
    'Compares a model in several formats of its base with itself in f32, on the words of a text.',
    'model.gguf --formats auto,q4',
  )
    .argument('<model>', 'any model by its name')
    .option('--text <file>', 'the text', 'README.md')
    .option('--tokens <number>', 'how many tokens of it are used', '256')
    .option('--bos', 'begin each sequence with the token that begins texts, as Gemma needs it')
    .option('--of <model>', 'compare with this model in f32, of which the other is another form')
    .option('--formats <names>', 'the formats', 'auto,16bit,q8,q4');

/** Log-probabilities [T][V] of the tokens behind each one. */
async function distributions(model: LanguageModel, ids: readonly number[]): Promise<Float32Array[]> {
  const { vocabSize } = model.config;
  const tokens = { batch: 1, length: ids.length, ids: Int32Array.from(ids), targets: Int32Array.from(ids) };
  const state = await model.forward(tokens, breatheIfDue, { forBackward: false });
  const rows = Math.max(1, Math.floor(CHUNK / vocabSize));
  const found: Float32Array[] = [];
  try {
    for (let first = 0; first < ids.length; first += rows) {
      const count = Math.min(rows, ids.length - first);
      const part = tf.tidy(() =>
        tf.logSoftmax(logitsOf(model, tf.slice(state.hidden as tf.Tensor2D, [first, 0], [count, -1]))),
      );
      const values = await part.data<'float32'>();
      part.dispose();
      for (let row = 0; row < count; row++)
        found.push(values.slice(row * vocabSize, (row + 1) * vocabSize) as Float32Array);
    }
  } finally {
    model.release(state);
  }
  return found;
}

const likeliest = (logprobs: Float32Array): number =>
  logprobs.reduce((best, value, i) => (value > (logprobs[best] as number) ? i : best), 0);

/** Σ p · (log p − log q), in nats. */
function divergence(p: Float32Array, q: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += Math.exp(p[i] as number) * ((p[i] as number) - (q[i] as number));
  return sum;
}

interface Said {
  readonly bytes: number;
  readonly seconds: number;
  readonly speeds: FormatSpeeds;
  /** The distributions of each sequence. */
  readonly sequences: readonly Float32Array[][];
}

async function said(
  { config, weights }: LoadedModel,
  format: BaseFormat,
  sequences: readonly (readonly number[])[],
): Promise<Said> {
  const began = performance.now();
  const base = await FrozenBase.load(config, weights, format);
  const seconds = (performance.now() - began) / 1000;
  const model = new LanguageModel(base, LENGTH, null);
  let bytes = 0;
  for await (const { words } of base.pieces()) bytes += words.length;
  const found: Float32Array[][] = [];
  for (const ids of sequences) found.push(await distributions(model, ids));
  model.dispose({ keepWeights: true });
  const speeds = await speedsOf(base, sequences[0] ?? []);
  base.dispose();
  return { bytes, seconds, speeds, sequences: found };
}

export default simpleProgram<Options>(line, async ({ text, tokens, formats, bos, of = '' }, [name = '']) => {
  const asked = formats.split(',').map((each) => BASE_FORMATS.find((format) => format === each));
  if (asked.includes(undefined))
    throw new BadInput(
      `--formats is "${formats}"; the formats are ${BASE_FORMATS.join(', ')}, with commas between.`,
    );
  await startBackendInNode();
  const model = await loadModel((await modelFilesNamed(name)).model);
  const ids = model.tokenizer.encode(readFileSync(fromCaller(text), 'utf8')).slice(0, Number(tokens));
  const { bosTokenId } = model.tokenizer;
  const before = bos === true && bosTokenId !== null ? [bosTokenId] : [];
  const taken = LENGTH - before.length;
  const sequences = Array.from({ length: Math.floor(ids.length / taken) }, (_, i) => [
    ...before,
    ...ids.slice(i * taken, (i + 1) * taken),
  ]);
  if (sequences.length === 0)
    throw new BadInput(`${text} has ${ids.length} tokens; at least ${LENGTH} are needed.`);
  const numbers = [...model.weights.values()].reduce(
    (sum, { shape }) => sum + shape.reduce((product, extent) => product * extent, 1),
    0,
  );
  const wanted = of === '' ? model : await loadModel((await modelFilesNamed(of)).model);
  const exact = await said(wanted, 'f32', sequences);
  const rows = [];
  for (const format of ['f32', ...asked] as const) {
    if (format === undefined) continue;
    const other = format === 'f32' ? exact : await said(model, format, sequences);
    const sums = { kl: 0, loss: 0, same: 0, positions: 0 };
    for (const [s, sequence] of sequences.entries())
      for (const [t, next] of sequence.slice(1).entries()) {
        const p = exact.sequences[s]?.[t] as Float32Array;
        const q = other.sequences[s]?.[t] as Float32Array;
        sums.kl += divergence(p, q);
        sums.loss -= q[next] as number;
        sums.same += likeliest(p) === likeliest(q) ? 1 : 0;
        sums.positions++;
      }
    rows.push(
      tableRow([
        format,
        bytesText(other.bytes),
        ((8 * other.bytes) / numbers).toFixed(2),
        (sums.kl / sums.positions).toPrecision(2),
        Math.exp(sums.loss / sums.positions).toFixed(3),
        `${((100 * sums.same) / sums.positions).toFixed(1)} %`,
        other.seconds.toFixed(1),
        other.speeds.alone.toFixed(1),
        other.speeds.inBatch.toFixed(0),
        other.speeds.update.toFixed(2),
      ]),
    );
  }
  const heads = [
    'format',
    'bytes',
    'bits a weight',
    'KL, nats',
    'perplexity',
    'first choice kept',
    'seconds to load',
    'tokens/s alone',
    `tokens/s of ${BATCH} answers`,
    `seconds an update of ${TRAINED} × ${LENGTH} tokens`,
  ];
  printLine(tableOf(heads, rows));
  return 0;
});
