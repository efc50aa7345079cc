/** Every message between a run and the machines that joined it. Messages are checked here before they are used. */
import { z } from 'zod';
import type { GroupRequest, SampledCompletion, SamplingSettings } from '@rl-playground/engine/parts';
import { opened, sealed, type KeyPair, type Opened } from './frames.ts';

const count = z.number().int().nonnegative();
const publicKey = z.string().regex(/^U[A-Z2-7]{55}$/);
const shortText = z.string().max(400);

/** An object in the run's bucket, with its SHA-256 as the object store writes it, under the run's signature. */
const objectSchema = z.object({ name: shortText, digest: shortText, bytes: count });
export type ObjectReference = z.infer<typeof objectSchema>;

const announcementSchema = z.object({
  kind: z.literal('run'),
  run: publicKey,
  name: shortText,
  /** A description of its prompts in words. */
  about: z.string().max(2000),
  /** The trainer's `computation.ts`. */
  computation: shortText,
  model: objectSchema,
  /** The first request that still needs an answer. */
  firstWanted: count,
  /** Machines that the run ignores from now on. */
  dropped: z.array(publicKey),
});
export type Announcement = z.infer<typeof announcementSchema>;

const orderSchema = z.discriminatedUnion('kind', [
  /** Answers to these requests are no longer wanted; with `halfway` also one that is being given. */
  z.object({ kind: z.literal('pass'), run: publicKey, chunks: z.array(count), halfway: z.boolean() }),
  z.object({ kind: z.literal('dropped'), run: publicKey, machine: publicKey, reason: shortText }),
  z.object({ kind: z.literal('ended'), run: publicKey }),
]);
export type Order = z.infer<typeof orderSchema>;

const presenceSchema = z.object({
  kind: z.literal('machine'),
  machine: publicKey,
  name: shortText,
  computation: shortText,
  /** True if the machine goes away. */
  leaving: z.boolean(),
});
export type Presence = z.infer<typeof presenceSchema>;

const weightsSchema = z.object({
  version: count,
  /** The whole weights, or under LoRA the base that factors are merged into. */
  pool: objectSchema.extend({ precision: z.enum(['f32', 'f16']) }).nullable(),
  /** A base beside which adapters act. */
  frozen: objectSchema.nullable(),
  /** LoRA's factors. */
  adapter: objectSchema.nullable(),
});
export type WeightReferences = z.infer<typeof weightsSchema>;

/** All sampling settings except noise, which machines are not asked for. */
const samplingSchema = z.object({
  temperature: z.number().nonnegative(),
  topP: z.number().positive().max(1),
  topK: count,
  minP: z.number().min(0).max(1).optional(),
  repetitionPenalty: z.number().positive().optional(),
  maxTokens: z.number().int().positive(),
  stop: z.array(z.string().min(1)),
} satisfies Record<Exclude<keyof SamplingSettings, 'logitNoise'>, z.ZodType>);

const requestSchema = z.object({
  kind: z.literal('ask'),
  run: publicKey,
  /** The number of the request in the run. */
  chunk: count,
  /** A secret of the request: who answers must have been dealt the request, or have read along. */
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
  weights: weightsSchema,
  sampling: samplingSchema,
  /** The groups. Their prompts are the payload, one after the other. */
  groups: z
    .array(
      z.object({
        promptTokens: count,
        samples: z.number().int().positive(),
        seed: count,
        step: count,
        problem: count,
      }),
    )
    .min(1),
  /** The seconds after which another machine is asked. */
  patience: z.number().positive(),
});
type RequestHeader = z.infer<typeof requestSchema>;

export interface Request extends Omit<RequestHeader, 'kind' | 'groups' | 'sampling'> {
  readonly groups: readonly GroupRequest[];
  readonly sampling: SamplingSettings;
}

const answerSchema = z.object({
  kind: z.literal('answer'),
  run: publicKey,
  machine: publicKey,
  chunk: count,
  nonce: z.string(),
  /** The index of the group in its request. */
  group: count,
  version: z.number().int(),
  computation: shortText,
  precision: z.enum(['f32', 'f16']),
  /** The seconds from the machine's begin to the end of its last completion. */
  seconds: z.number().nonnegative(),
  busySeconds: z.number().nonnegative(),
  completions: z.array(z.object({ tokens: count, stopReason: z.enum(['eos', 'stop', 'max_tokens']) })),
});
const failureSchema = answerSchema.pick({ run: true, machine: true, chunk: true, nonce: true }).extend({
  kind: z.literal('failed'),
  message: z.string().max(2000),
  /** The fault. `server` means the connection, or something that the server lacks; the machine's generator did not fail. */
  fault: z.enum(['machine', 'server']),
});
export type Failure = z.infer<typeof failureSchema>;
const reportSchema = z.discriminatedUnion('kind', [answerSchema, failureSchema]);

export interface Answer extends Omit<z.infer<typeof answerSchema>, 'kind' | 'completions'> {
  readonly kind: 'answer';
  readonly completions: readonly SampledCompletion[];
}

/** A message with a valid header. */
export interface Read<T> {
  readonly message: T;
  readonly signedBy: Opened['signedBy'];
}

function read<T>(
  frame: Uint8Array,
  schema: z.ZodType<T>,
): { readonly message: T; readonly from: Opened } | null {
  const from = opened(frame);
  const parsed = from && schema.safeParse(from.header);
  return from && parsed?.success ? { message: parsed.data, from } : null;
}

/** Reads a message; null if it is none, or not signed by the sender that it names. */
async function readSigned<T>(
  frame: Uint8Array,
  schema: z.ZodType<T>,
  sender: (message: T) => string,
): Promise<T | null> {
  const found = read(frame, schema);
  return found && (await found.from.signedBy(sender(found.message))) ? found.message : null;
}

export const writeAnnouncement = (key: KeyPair, message: Omit<Announcement, 'kind'>): Uint8Array =>
  sealed(key, { ...message, kind: 'run' });
export const readAnnouncement = (frame: Uint8Array): Promise<Announcement | null> =>
  readSigned(frame, announcementSchema, ({ run }) => run);

export const writeOrder = (key: KeyPair, message: Order): Uint8Array => sealed(key, message);
export const readOrder = (frame: Uint8Array): Promise<Order | null> =>
  readSigned(frame, orderSchema, ({ run }) => run);

export const writePresence = (key: KeyPair, message: Omit<Presence, 'kind'>): Uint8Array =>
  sealed(key, { ...message, kind: 'machine' });
export const readPresence = (frame: Uint8Array): Promise<Presence | null> =>
  readSigned(frame, presenceSchema, ({ machine }) => machine);

export function writeRequest(key: KeyPair, { groups, ...rest }: Request): Uint8Array {
  const header: RequestHeader = {
    ...rest,
    kind: 'ask',
    sampling: { ...rest.sampling, stop: [...rest.sampling.stop] },
    groups: groups.map(({ promptIds, samples, seed, step, problem }) => ({
      promptTokens: promptIds.length,
      samples,
      seed,
      step,
      problem,
    })),
  };
  return sealed(key, header, bytesOf(Int32Array.from(groups.flatMap(({ promptIds }) => promptIds))));
}

/** Reads a request; null if it is none of this run's. */
export async function readRequest(frame: Uint8Array, run: string): Promise<Request | null> {
  const found = read(frame, requestSchema);
  if (found === null || found.message.run !== run || !(await found.from.signedBy(run))) return null;
  const { payload } = found.from;
  const { kind: _, groups, ...rest } = found.message;
  const total = groups.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
  if (payload.length !== 4 * total) return null;
  const ids = new Int32Array(payload.buffer);
  let at = 0;
  return {
    ...rest,
    groups: groups.map(({ promptTokens, ...group }) => ({
      ...group,
      promptIds: Array.from(ids.subarray(at, (at += promptTokens))),
    })),
  };
}

/** Writes tokens as int32, then their log-probabilities as float64, in which the sampler on wasm computes. */
export function writeAnswer(key: KeyPair, { completions, ...rest }: Omit<Answer, 'kind'>): Uint8Array {
  const tokens = bytesOf(Int32Array.from(completions.flatMap((each) => each.tokens)));
  const logprobs = bytesOf(Float64Array.from(completions.flatMap((each) => each.logprobs)));
  const payload = new Uint8Array(tokens.length + logprobs.length);
  payload.set(tokens);
  payload.set(logprobs, tokens.length);
  const header = {
    ...rest,
    kind: 'answer',
    completions: completions.map((each) => ({ tokens: each.tokens.length, stopReason: each.stopReason })),
  };
  return sealed(key, header, payload);
}

export const writeFailure = (key: KeyPair, message: Omit<Failure, 'kind'>): Uint8Array =>
  sealed(key, { ...message, kind: 'failed' });

/** Reads an answer; null if it is none. The caller has to check the signature. */
export function readAnswer(frame: Uint8Array): Read<Answer | Failure> | null {
  const found = read(frame, reportSchema);
  if (found === null) return null;
  const { message, from } = found;
  const { payload, signedBy } = from;
  if (message.kind === 'failed') return { message, signedBy };
  const { completions, ...rest } = message;
  const total = completions.reduce((sum, { tokens }) => sum + tokens, 0);
  if (payload.length !== 12 * total) return null;
  const tokens = new Int32Array(payload.buffer, 0, total);
  const logprobs = new Float64Array(payload.slice(4 * total).buffer);
  let at = 0;
  const whole = completions.map(({ tokens: length, stopReason }) => {
    const first = at;
    at += length;
    return {
      tokens: Array.from(tokens.subarray(first, at)),
      logprobs: Array.from(logprobs.subarray(first, at)),
      stopReason,
    };
  });
  return { message: { ...rest, completions: whole }, signedBy };
}

const bytesOf = (values: Int32Array | Float64Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
