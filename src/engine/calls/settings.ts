/** The settings of an engine, with the values that each may have and its default. */
import * as z from 'zod';
import { choice, count, integer, quantity, quoted } from '@rl-playground/base/valueSchemas';
import { DECODE_PRODUCTS } from '../kernels/decode/productKinds.ts';
import { BASE_FORMATS } from '../model/baseFormats.ts';
import { LAYER_TARGETS, LORA_TARGETS } from '../model/loraTargets.ts';

const listed = LORA_TARGETS.join(', ');

const error = ({ input }: z.core.$ZodRawIssue): string =>
  `${quoted(input)} is no list of LoRA targets; write it as ["q_proj", "v_proj"], of: ${listed}.`;

const target = z.enum(LORA_TARGETS, {
  error: ({ input }) => `${quoted(input)} is no LoRA target; choose of: ${listed}.`,
});

const loraTargets = z
  .array(target, { error })
  .min(1, { error })
  .refine((targets) => new Set(targets).size === targets.length, {
    error: ({ input }) => `${quoted(input)} names a target twice; name each once.`,
  });

const BIT_WIDTHS = ['f32', 'f16'] as const;

export const ENGINE_SCHEMAS = {
  /** AdamW (Loshchilov & Hutter 2019). */
  adamBeta1: quantity(0, 0.9999),
  adamBeta2: quantity(0, 0.99999),
  adamEps: quantity(1e-12, 1),
  weightDecay: quantity(0, 10),
  /** The global L2 norm to which gradients are scaled down; 0 clips nothing. */
  clipNorm: quantity(0, 1000),
  /** The rank of LoRA's factors; 0 trains all weights. */
  loraRank: count(0, 1024),
  loraAlpha: quantity(0.001, 4096),
  loraTargets,
  /** The number format of the base beside which LoRA's factors are trained. */
  baseFormat: choice(BASE_FORMATS),
  /** The most tokens that go through the model at once. */
  microBatchTokens: count(64, 1_048_576),
  numGenerators: count(1, 64),
  /** The number format in which generators get the weights. */
  generatorPrecision: choice(BIT_WIDTHS),
  /** `beside` keeps an adapter beside a frozen base in the generators; `merged` merges it into copies of 16 bits. */
  generatorAdapter: choice(['beside', 'merged']),
  /** The products of generators on a GPU. */
  generatorProducts: choice(DECODE_PRODUCTS),
  /** The number format of keys and values. */
  cachePrecision: choice(BIT_WIDTHS),
  /** `worker` puts generators in Web Workers; `page` is one on the page, on the trainer's device. */
  generatorPlacement: choice(['worker', 'page']),
  /** Seeds the draws of new LoRA factors. Requests have seeds of their own. */
  seed: integer(0, 4_294_967_295),
} as const;

export type EngineSettings = {
  readonly [Key in keyof typeof ENGINE_SCHEMAS]: z.output<(typeof ENGINE_SCHEMAS)[Key]>;
};

export const ENGINE_DEFAULTS: EngineSettings = {
  adamBeta1: 0.9,
  adamBeta2: 0.99,
  adamEps: 1e-8,
  weightDecay: 0,
  clipNorm: 1,
  loraRank: 0,
  loraAlpha: 32,
  loraTargets: [...LAYER_TARGETS],
  baseFormat: 'auto',
  microBatchTokens: 2048,
  numGenerators: 2,
  generatorPrecision: 'f32',
  generatorAdapter: 'beside',
  generatorProducts: 'exact',
  cachePrecision: 'f32',
  generatorPlacement: 'worker',
  seed: 0,
};

/** Returns the defaults with `changes`. @throws Error naming a setting that does not exist or has a value that is not allowed. */
export function engineSettings(changes: Partial<EngineSettings>): EngineSettings {
  const known = Object.keys(ENGINE_SCHEMAS);
  const unknown = Object.keys(changes).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new Error(`There is no engine setting "${unknown}"; the settings are: ${known.join(', ')}.`);
  const parsed = z.object(ENGINE_SCHEMAS).safeParse({ ...ENGINE_DEFAULTS, ...changes });
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
}
