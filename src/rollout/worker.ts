/** A generator in a Web Worker: one backend, one copy of the model, one request at a time. */
import { onDeviceProblem } from '../backend/device.ts';
import { breathe } from '../backend/eventLoop.ts';
import { startBackend } from '../backend/start.ts';
import { messageOf } from '../hub/errors.ts';
import '../kernels/index.ts';
import { Generator } from './generator.ts';
import type {
  FromGenerator,
  GenerateMessage,
  StartMessage,
  ToGenerator,
  WeightsMessage,
} from './protocol.ts';

const send = (message: FromGenerator): void => globalThis.postMessage(message);

let generator: Promise<Generator> | null = null;
const aborts = new Map<number, AbortController>();

async function start({ backend, wasmPath, model, precision }: StartMessage): Promise<Generator> {
  await startBackend(backend, { wasmPath, threads: 1 });
  return new Generator(model, precision, breathe);
}

async function started(): Promise<Generator> {
  const ready = await generator;
  if (!ready) throw new Error('The generator was spoken to before it was started.');
  return ready;
}

async function setWeights({ version, precision, bytes }: WeightsMessage): Promise<void> {
  await (await started()).setWeights(version, { precision, bytes });
  send({ type: 'weights-read', version });
}

async function generate({ id, requests, sampling }: GenerateMessage): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  try {
    const groups = await (
      await started()
    ).generate(requests, sampling, {
      signal: abort.signal,
      breathe,
      onProgress: ({ tokens, finished }) => send({ type: 'progress', id, tokens, finished }),
    });
    send({ type: 'result', id, groups });
  } catch (error) {
    send(abort.signal.aborted ? { type: 'aborted', id } : { type: 'failed', id, message: messageOf(error) });
  } finally {
    aborts.delete(id);
  }
}

async function receive(message: ToGenerator): Promise<void> {
  switch (message.type) {
    case 'start':
      generator = start(message);
      await generator;
      return;
    case 'weights':
      return setWeights(message);
    case 'generate':
      return generate(message);
    case 'abort':
      aborts.get(message.id)?.abort();
  }
}

// Without its device nothing works, and after an error its results can't be trusted.
onDeviceProblem(({ message }) => send({ type: 'broken', message }));

globalThis.onmessage = ({ data }: MessageEvent<ToGenerator>) => {
  receive(data).catch((error: unknown) => send({ type: 'broken', message: messageOf(error) }));
};
