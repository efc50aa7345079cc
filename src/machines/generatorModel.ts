/** The model of a run's generators as an object of its bucket: JSON after its length, then the bytes of its tokens. */
import { z } from 'zod';
import {
  LORA_TARGETS,
  DECODE_PRODUCTS,
  FROZEN_FORMATS,
  MODEL_TYPES,
  type ModelConfig,
  type GeneratorModel,
  type WeightPrecision,
} from '@rl-playground/engine/parts';

const size = z
  .number()
  .int()
  .positive()
  .max(2 ** 31 - 1);
const count = z.number().int().nonnegative();

const ropeSchema = z.object({
  theta: z.number().positive(),
  scaling: z
    .object({
      type: z.enum(['linear', 'llama3']),
      factor: z.number(),
      lowFreqFactor: z.number(),
      highFreqFactor: z.number(),
      originalMaxPositions: z.number(),
    })
    .nullable(),
});

const configSchema: z.ZodType<ModelConfig> = z.object({
  modelType: z.enum(MODEL_TYPES),
  vocabSize: size,
  hiddenSize: size,
  layers: size.max(10_000),
  heads: size,
  kvHeads: size,
  headDim: size,
  mlpSize: size,
  mlp: z.enum(['swiglu', 'geglu', 'relu']),
  fusedMlp: z.boolean(),
  rmsEps: z.number().positive(),
  normShift: z.union([z.literal(0), z.literal(1)]),
  normsBehind: z.boolean(),
  attention: z.array(z.object({ window: size.nullable(), rope: ropeSchema.nullable() })).max(10_000),
  attentionScale: z.number().positive(),
  embeddingScale: z.number().positive(),
  residualScale: z.number().positive(),
  logitScale: z.number().positive(),
  maxPositions: size,
  tiedHead: z.boolean(),
  qkvBias: z.boolean(),
  outBias: z.boolean(),
  mlpBias: z.boolean(),
  qkNorm: z.boolean(),
});

/** A commit of a hub, which identifies its files to the bit. */
const originSchema = z.object({
  name: z.string().max(200),
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
  hubUrl: z
    .url({ protocol: /^https?$/ })
    .max(400)
    .nullable(),
});

const modelSchema = z.object({
  /** The precision of the weights in generators. */
  precision: z.enum(['f32', 'f16']),
  config: configSchema,
  lora: z
    .object({
      rank: size,
      alpha: z.number().positive(),
      targets: z.array(z.enum(LORA_TARGETS)),
      rankStabilized: z.boolean().optional(),
    })
    .optional(),
  frozen: z.record(z.string(), z.array(z.object({ rows: size, format: z.enum(FROZEN_FORMATS) }))).optional(),
  origin: originSchema.optional(),
  merged: z.boolean().optional(),
  products: z.enum(DECODE_PRODUCTS).optional(),
  stopTokenIds: z.array(count),
  drawableIds: size.optional(),
  positions: size,
  cachePrecision: z.enum(['f32', 'f16']).optional(),
  /** The bytes of all tokens, if they were given. */
  tokenBytes: count.optional(),
});

/** The model from which a machine makes its generator. */
export interface RemoteModel {
  readonly model: GeneratorModel;
  readonly precision: WeightPrecision;
}

const LENGTH = 4;

export function writeModel({ model, precision }: RemoteModel): Uint8Array {
  // The machine decides itself how large its cache is and where it decodes.
  const { tokenBytes, cacheBytes: _, besidePage: __, origin, ...rest } = model;
  // Others can't be sent to a folder of some server, or of this machine.
  const onHub = originSchema.safeParse(origin);
  const text = JSON.stringify({
    ...rest,
    ...(onHub.success && { origin: onHub.data }),
    precision,
    ...(tokenBytes && { tokenBytes: tokenBytes.bytes.length }),
  });
  const json = new TextEncoder().encode(text.padEnd(4 * Math.ceil(text.length / 4)));
  const parts = tokenBytes
    ? [
        new Uint8Array(tokenBytes.ends.buffer, tokenBytes.ends.byteOffset, tokenBytes.ends.byteLength),
        tokenBytes.bytes,
      ]
    : [];
  const whole = new Uint8Array(LENGTH + [json, ...parts].reduce((sum, { length }) => sum + length, 0));
  new DataView(whole.buffer).setUint32(0, json.length, true);
  let at = LENGTH;
  for (const part of [json, ...parts]) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @throws Error if the bytes are no such model. */
export function readModel(bytes: Uint8Array): RemoteModel {
  const length = bytes.length < LENGTH ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(LENGTH, LENGTH + length));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error('What the run says of its model is no JSON.', { cause: error });
  }
  const parsed = modelSchema.safeParse(json);
  if (!parsed.success)
    throw new Error(`What the run says of its model is wrong: ${parsed.error.issues[0]?.message}`);
  const { precision, tokenBytes, ...model } = parsed.data;
  if (tokenBytes === undefined) return { model, precision };
  const rest = bytes.slice(LENGTH + length);
  const ends = (rest.length - tokenBytes) / 4;
  if (!(Number.isInteger(ends) && ends >= 0)) throw new Error('The bytes of the model’s tokens are cut off.');
  return {
    precision,
    model: {
      ...model,
      tokenBytes: { ends: new Uint32Array(rest.buffer, 0, ends), bytes: rest.slice(4 * ends) },
    },
  };
}
