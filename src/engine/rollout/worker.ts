/** A generator in a Web Worker: one backend, one copy of the model, one request at a time. */
import { onDeviceProblem } from '../backend/deviceHealth.ts';
import { breathe } from '../backend/eventLoop.ts';
import { isMemoryFailure } from '../backend/memoryError.ts';
import { startBackend } from '../backend/start.ts';
import { messageOf } from '@rl-playground/base/errors';
import { onLifeSign } from '../backend/lifeSign.ts';
import '../kernels/index.ts';
import { FrozenBase } from '../model/frozenBase.ts';
import type { GeneratorModel } from './decoding/decoder.ts';
import { Generator } from './generator.ts';
import type {
  AdapterMessage,
  Answer,
  BaseMessage,
  FromGenerator,
  GenerateMessage,
  SharedBaseMessage,
  StartMessage,
  ToGenerator,
  WeightsMessage,
} from './protocol.ts';

const send = (message: FromGenerator): void => globalThis.postMessage(message);

let starting: Promise<Generator> | null = null;
let ready: Generator | null = null;
const aborts = new Map<number, AbortController>();

/** A base that is arriving; adapters and requests wait for it. */
interface ArrivingBase {
  readonly model: GeneratorModel;
  /** The base that pieces are written to, once there is one. */
  base: FrozenBase | null;
  readonly arrived: Promise<void>;
  readonly markArrived: () => void;
}
let arriving: ArrivingBase | null = null;

function expectBase(model: GeneratorModel): ArrivingBase {
  let markArrived = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (markArrived = resolve));
  return { model, base: null, arrived, markArrived };
}

function awaitedBase(): ArrivingBase {
  if (!arriving) throw new Error('The generator was started without a frozen base.');
  return arriving;
}

async function start(message: StartMessage): Promise<Generator> {
  const { backend, wasmPath, fusedProducts, model, precision, limits, threads } = message;
  await startBackend(backend, { wasmPath, threads, fusedProducts, limits });
  if (model.frozen) arriving = expectBase(model);
  return new Generator(model, precision, breathe);
}

async function takeBase({ version, piece, last, delivery }: BaseMessage): Promise<void> {
  const generator = await started();
  const awaited = awaitedBase();
  awaited.base ??= FrozenBase.empty(awaited.model.config, awaited.model.frozen ?? {});
  awaited.base.write(piece);
  send({ type: 'read', delivery });
  if (!last) return;
  void generator.setBase(version, awaited.base);
  awaited.markArrived();
}

async function takeSharedBase({ version, base, delivery }: SharedBaseMessage): Promise<void> {
  const generator = await started();
  const awaited = awaitedBase();
  const shared = await FrozenBase.elsewhere(awaited.model.config, base);
  send({ type: 'read', delivery });
  void generator.setBase(version, shared);
  awaited.markArrived();
}

/** The generator, with its base if it has a frozen one. */
async function whole(): Promise<Generator> {
  const generator = await started();
  await arriving?.arrived;
  return generator;
}

async function started(): Promise<Generator> {
  if (!starting) throw new Error('The generator was spoken to before it was started.');
  return starting;
}

async function take(message: WeightsMessage | AdapterMessage): Promise<void> {
  const taker = await whole();
  await (message.type === 'weights'
    ? taker.setWeights(message.version, message)
    : taker.setAdapter(message.version, message.bytes));
  send({ type: 'read', delivery: message.delivery });
}

async function generate({ id, requests, sampling }: GenerateMessage): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  const answer = (said: Answer): void => send({ ...said, id, busySeconds: ready?.busySeconds ?? 0 });
  try {
    await (
      await whole()
    ).generate(requests, sampling, {
      signal: abort.signal,
      onProgress: ({ tokens, finished }) => answer({ type: 'progress', tokens, finished }),
      onGroup: (index, group) => answer({ type: 'group', index, group }),
    });
    answer({ type: 'done' });
  } catch (error) {
    if (abort.signal.aborted) answer({ type: 'aborted' });
    else if (isMemoryFailure(error)) send({ type: 'broken', message: messageOf(error) });
    else answer({ type: 'failed', message: messageOf(error) });
  } finally {
    aborts.delete(id);
  }
}

async function receive(message: ToGenerator): Promise<void> {
  switch (message.type) {
    case 'start':
      starting = start(message);
      ready = await starting;
      return;
    case 'base':
      return takeBase(message);
    case 'sharedBase':
      return takeSharedBase(message);
    case 'weights':
    case 'adapter':
      return take(message);
    case 'generate':
      return generate(message);
    case 'abort':
      aborts.get(message.id)?.abort();
  }
}

onLifeSign(() => send({ type: 'alive' }));

// Without its device nothing works, and after an error its results can't be trusted.
onDeviceProblem(({ message }) => send({ type: 'broken', message }));

globalThis.onmessage = ({ data }: MessageEvent<ToGenerator>) => {
  receive(data).catch((error: unknown) => send({ type: 'broken', message: messageOf(error) }));
};
