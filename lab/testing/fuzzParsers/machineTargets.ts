/** Inputs that machines of strangers send: links that invite, signed messages of runs and machines, a run's model and base, tasks in a link. */
import { deflateSync } from 'fflate';
import { pick, uniformInt } from '@rl-playground/base/random';
import {
  answerProblem,
  bytesOfBase,
  piecesOfBase,
  newKey,
  opened,
  readModel,
  writeModel,
  invitationLink,
  isInvitation,
  isLocalAddress,
  readInvitation,
  readAnnouncement,
  readAnswer,
  readOrder,
  readPresence,
  readRequest,
  writeAnnouncement,
  writeAnswer,
  writeFailure,
  writeOrder,
  writePresence,
  writeRequest,
  sign,
} from '@rl-playground/machines';
import type { BasePiece, GeneratorModel, GroupRequest, SamplingSettings } from '@rl-playground/engine/parts';
import { benchmarkOfLinked, type BenchmarkResult } from '@rl-playground/run/benchmark';
import { GRADER_DEFAULTS, type CustomTask, tasksOfLinkedText } from '@rl-playground/tasks/parts';
import { hostileText } from '@rl-playground/base/testing/hostileText';
import { refusedInWords, type ParserTarget } from './harness.ts';
import { count, mutatedBytes, mutatedJson, mutatedText, type Draw } from './mutate.ts';

const utf8 = new TextEncoder();

const PAGE = 'http://192.168.0.5:4173/';
const ADDRESS_PARTS = [
  'ws://',
  'wss://',
  'nats://',
  'WS://',
  '//',
  ':',
  '@',
  '%',
  '%E0%A4',
  '%00',
  'secret@',
  'a:b@',
  'host',
  '[::1]',
  '[::',
  '127.0.0.1',
  '0x7f.1',
  'é.example',
  'xn--',
  ':8080',
  ':99999',
  ':80',
  '/hub',
  '/../',
  '?x=1',
  '#join=',
  '&task=sum_digits',
  '&run=mine',
  '&join=ws://b',
  '+',
  ' ',
  '\\',
];

/** A text without halves of characters, which no address can contain. */
const wellFormed = (text: string): string => text.slice(0, 5000).replaceAll(/\p{Surrogate}/gu, '');

function invitation(draw: Draw): string {
  if (draw() < 0.5)
    return `#join=${Array.from({ length: count(draw, 300) }, () => pick(draw, ADDRESS_PARTS)).join('')}`;
  const whole = '#join=ws://secret@192.168.0.5:8080/hub&task=sum_digits&run=mine';
  return draw() < 0.5
    ? mutatedText(draw, whole)
    : `#join=${encodeURIComponent(`ws://${wellFormed(hostileText(draw, 'secret'))}@host:8080`)}`;
}

/** Checks that an invitation is the same when it is written and read again. */
function readInvited(hash: string): void {
  if (!isInvitation(hash)) throw new Error('It invites nobody.');
  const read = readInvitation(hash);
  const again = readInvitation(new URL(invitationLink(PAGE, read)).hash);
  if (JSON.stringify(again) !== JSON.stringify(read))
    throw new RangeError('It says something else when it is sent on.');
  isLocalAddress(read.server.url);
}

const key = newKey();
const own = key.getPublicKey();
const object = { name: 'model', digest: 'SHA-256=abc', bytes: 12 };
const asked: GroupRequest = { promptIds: [1, 2, 3], samples: 2, seed: 4, step: 5, problem: 6 };
const sampling: SamplingSettings = { temperature: 1, topP: 1, topK: 0, maxTokens: 8, stop: ['x'] };
const at = { run: own, machine: own, chunk: 3, nonce: '0'.repeat(32) };
const FRAMES: readonly Uint8Array[] = [
  writeAnnouncement(key, {
    run: own,
    name: 'mine',
    about: 'sums',
    computation: 'wasm',
    model: object,
    firstWanted: 2,
    dropped: [own],
  }),
  writeOrder(key, { kind: 'pass', run: own, chunks: [1, 2], halfway: true }),
  writeOrder(key, { kind: 'dropped', run: own, machine: own, reason: 'slow' }),
  writePresence(key, { machine: own, name: 'box', computation: 'wasm', leaving: false }),
  writeRequest(key, {
    run: own,
    chunk: 3,
    nonce: at.nonce,
    weights: { version: 1, pool: { ...object, precision: 'f32' }, frozen: null, adapter: null },
    sampling,
    groups: [asked, asked],
    patience: 5,
  }),
  writeAnswer(key, {
    ...at,
    group: 0,
    version: 1,
    computation: 'wasm',
    precision: 'f32',
    seconds: 1,
    busySeconds: 2,
    completions: [
      { tokens: [1, 2], logprobs: [-1, -2], stopReason: 'eos' },
      { tokens: [3], logprobs: [-1], stopReason: 'max_tokens' },
    ],
  }),
  writeFailure(key, { ...at, message: 'no memory', fault: 'machine' }),
];

const LENGTHS = [0, 1, 3, 2 ** 20, 2 ** 20 + 1, 2 ** 31, 2 ** 32 - 1];

/** A frame with another header or payload, or one with a wrong length of its header; most are signed by the sender that they name. */
function message(draw: Draw): Uint8Array {
  const frame = pick(draw, FRAMES);
  const read = opened(frame);
  if (read === null || draw() < 0.2) return mutatedBytes(draw, frame);
  const text = utf8.encode(mutatedJson(draw, read.header as object).slice(0, 1_200_000));
  const payload = draw() < 0.5 ? read.payload : new Uint8Array(count(draw, 100_000));
  const bytes = new Uint8Array(4 + text.length + payload.length + 64);
  const said = draw() < 0.9 ? text.length : pick(draw, LENGTHS);
  new DataView(bytes.buffer).setUint32(0, said, true);
  bytes.set(text, 4);
  bytes.set(payload, 4 + text.length);
  bytes.set(sign(key, bytes.subarray(0, -64)), bytes.length - 64);
  return bytes;
}

const MODEL: GeneratorModel = {
  config: {
    modelType: 'llama',
    vocabSize: 16,
    hiddenSize: 8,
    layers: 1,
    heads: 2,
    kvHeads: 1,
    headDim: 4,
    mlpSize: 8,
    mlp: 'swiglu',
    fusedMlp: false,
    rmsEps: 1e-6,
    normShift: 0,
    normsBehind: false,
    attention: [{ window: null, rope: { theta: 10_000, scaling: null } }],
    attentionScale: 0.5,
    embeddingScale: 1,
    residualScale: 1,
    logitScale: 1,
    maxPositions: 64,
    tiedHead: true,
    qkvBias: false,
    outBias: false,
    mlpBias: false,
    qkNorm: false,
  },
  stopTokenIds: [1],
  positions: 64,
  tokenBytes: { ends: Uint32Array.of(1, 2, 3), bytes: Uint8Array.of(97, 98, 99) },
};

/** Gives every message to all readers, because a server sends all messages to all of them. None may throw. */
async function readMessage(frame: Uint8Array): Promise<boolean> {
  const answer = readAnswer(frame);
  const signed = (await answer?.signedBy(own)) === true;
  if (answer && signed && answer.message.kind === 'answer')
    answerProblem(answer.message, asked, sampling, MODEL, 1);
  const others = await Promise.all([
    readAnnouncement(frame),
    readOrder(frame),
    readPresence(frame),
    readRequest(frame, own),
  ]);
  return signed || others.some((read) => read !== null);
}

const MODEL_BYTES = writeModel({ model: MODEL, precision: 'f32' });

function model(draw: Draw): Uint8Array {
  if (draw() < 0.4) return mutatedBytes(draw, MODEL_BYTES);
  const length = new DataView(MODEL_BYTES.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(MODEL_BYTES.subarray(4, 4 + length))) as object;
  const text = utf8.encode(mutatedJson(draw, header));
  const rest = MODEL_BYTES.subarray(4 + length);
  const bytes = new Uint8Array(4 + text.length + rest.length);
  new DataView(bytes.buffer).setUint32(0, draw() < 0.9 ? text.length : pick(draw, LENGTHS), true);
  bytes.set(text, 4);
  bytes.set(rest, 4 + text.length);
  return bytes;
}

async function baseBytes(): Promise<Uint8Array> {
  const pieces: BasePiece[] = [
    { name: 'a', firstRow: 0, words: new Uint8Array(24) },
    { name: null, firstRow: 2, words: new Uint8Array(8) },
  ];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const given = (async function* () {
    yield* pieces;
  })();
  for await (const part of bytesOfBase(given)) parts.push(part.slice());
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const TASK: CustomTask = {
  name: 'capitals',
  rows: [{ question: 'Capital of Norway?', answer: 'Oslo' }],
  grader: GRADER_DEFAULTS.exact,
  system: '',
};

const FIGURE = { median: 2, least: 1, most: 3, repeats: 5 };
const BENCHMARK: BenchmarkResult = {
  version: '0.1.0',
  day: '2026-11-30',
  browser: 'Chrome 150, Linux',
  backend: 'webgpu',
  software: false,
  name: 'NVIDIA hopper',
  vendor: 'nvidia',
  architecture: 'hopper',
  description: '',
  features: ['subgroups'],
  subgroups: [32, 32],
  threads: 1,
  productSize: 1024,
  figures: { copy: FIGURE, product: FIGURE, rows: FIGURE, one: null, update: FIGURE },
};

/** A value in the text of a link, or data that unpacks to much more than its size. */
function linked(draw: Draw, value: object): string {
  const json = draw() < 0.2 ? '[0,'.repeat(count(draw, 1_000_000)) : mutatedJson(draw, value);
  const packed = deflateSync(utf8.encode(json));
  const bytes = draw() < 0.3 ? mutatedBytes(draw, packed) : packed;
  const text = Buffer.from(bytes.subarray(0, uniformInt(draw, 0, 1) === 0 ? bytes.length : 8192)).toString(
    'base64url',
  );
  return draw() < 0.2 ? mutatedText(draw, text) : text;
}

export async function machineTargets(): Promise<readonly ParserTarget[]> {
  const base = await baseBytes();
  return [
    {
      name: 'invitation',
      share: 100,
      make: invitation,
      read: (hash: string) => refusedInWords(() => readInvited(hash)),
    },
    { name: 'message of a machine', share: 100, make: message, read: readMessage },
    {
      name: 'model of a run',
      share: 60,
      make: model,
      read: (bytes: Uint8Array) => refusedInWords(() => readModel(bytes)),
    },
    {
      name: 'base of a run',
      share: 200,
      make: (draw) => mutatedBytes(draw, base),
      read: (bytes: Uint8Array) => refusedInWords(() => [...piecesOfBase(bytes)]),
    },
    {
      name: 'linked tasks',
      share: 10,
      make: (draw) => linked(draw, [TASK, TASK]),
      read: (text: string) => refusedInWords(() => tasksOfLinkedText(text)),
    },
    {
      name: 'linked benchmark',
      share: 10,
      make: (draw) => linked(draw, [1, BENCHMARK]),
      read: (text: string) => refusedInWords(() => benchmarkOfLinked(text)),
    },
  ];
}
