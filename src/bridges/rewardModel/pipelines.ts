/** The pipelines of transformers.js that score answers, on files in memory. */
import {
  pipeline,
  type FeatureExtractionPipeline,
  type TextClassificationPipeline,
  type ZeroShotClassificationPipeline,
} from '@huggingface/transformers';
import type { AskedText, ScoreOutcome } from '@rl-playground/run/rewardModel';
import { serveFromMemory } from '../transformersJs/index.ts';
import type { OpenRequest } from './protocol.ts';

/** The types of numbers in ONNX files by the ends of their names, as transformers.js knows them. */
const DTYPES = {
  'model.onnx': 'fp32',
  'model_fp16.onnx': 'fp16',
  'model_quantized.onnx': 'q8',
  'model_int8.onnx': 'int8',
  'model_uint8.onnx': 'uint8',
  'model_q4.onnx': 'q4',
  'model_q4f16.onnx': 'q4f16',
} as const;

/** The name under which transformers.js asks for the model's files. */
const MODEL = 'reward';

/** A loaded model. */
export interface OpenPipeline {
  /** The labels that it tells apart; none where it gives embeddings or takes any label. */
  readonly labels: readonly string[];
  /** The score of each text; it rejects where the model fails for one of them. */
  scores(items: readonly AskedText[], label: string): Promise<number[]>;
}

/** Loads a model. @throws Error where its files are of no such model. */
export async function openPipeline(request: Omit<OpenRequest, 'kind'>): Promise<OpenPipeline> {
  const { files, device, runtime: address } = request;
  const name = Object.keys(DTYPES).find((each) => files.has(each));
  if (name === undefined)
    throw new Error(
      `There is no ONNX file among ${[...files.keys()].join(', ')}; one of ${Object.keys(DTYPES).join(', ')} is needed.`,
    );
  // The trainer has the other threads.
  serveFromMemory(files, { device, address, threads: 1 });
  const options = { dtype: DTYPES[name as keyof typeof DTYPES], subfolder: '', device };
  switch (request.pipeline) {
    case 'text-classification':
      return classifier(await pipeline('text-classification', MODEL, options));
    case 'zero-shot-classification':
      return zeroShot(await pipeline('zero-shot-classification', MODEL, options));
    case 'feature-extraction':
      return likeness(await pipeline('feature-extraction', MODEL, options));
  }
}

/** The part of a classifier's config.json that is read here. Its types in transformers.js leave it open. */
interface LabelConfig {
  readonly id2label?: Readonly<Record<string, string>>;
  problem_type?: string;
}

function classifier(pipe: TextClassificationPipeline): OpenPipeline {
  const config = pipe.model.config as unknown as LabelConfig;
  const labels = Object.values(config.id2label ?? {});
  // The softmax of a single number is always 1.
  if (labels.length === 1) config.problem_type = 'multi_label_classification';
  return {
    labels,
    async scores(items, label) {
      const wanted = label === '' && labels.length === 1 ? labels[0] : label;
      // Its types know only the likeliest label.
      const found = (await pipe(
        items.map(({ text }) => text),
        { top_k: labels.length },
      )) as unknown as
        | readonly { readonly label: string; readonly score: number }[][]
        | readonly { readonly label: string; readonly score: number }[];
      return found.map((each) => [each].flat().find((one) => one.label === wanted)?.score ?? NaN);
    },
  };
}

function zeroShot(pipe: ZeroShotClassificationPipeline): OpenPipeline {
  return {
    labels: [],
    async scores(items, label) {
      const found = await pipe(
        items.map(({ text }) => text),
        [label],
        { multi_label: true },
      );
      return [found].flat().map(({ scores }) => scores[0] ?? NaN);
    },
  };
}

/** The likeness of two texts is the cosine of the angle between their embeddings. */
function likeness(pipe: FeatureExtractionPipeline): OpenPipeline {
  return {
    labels: [],
    async scores(items) {
      const texts = [...new Set(items.flatMap(({ text, reference }) => [text, reference]))];
      const rows = (await pipe(texts, { pooling: 'mean', normalize: true })).tolist() as number[][];
      const of = (text: string): readonly number[] => rows[texts.indexOf(text)] ?? [];
      return items.map(({ text, reference }) => {
        const other = of(reference);
        return of(text).reduce((sum, value, i) => sum + value * (other[i] ?? NaN), 0);
      });
    },
  };
}

/** A score, or what is wrong with it. */
export const outcomeOf = (score: number): ScoreOutcome =>
  Number.isFinite(score)
    ? { score }
    : { error: `The reward model answered ${score}; a finite number is needed.` };
