/**
 * The benchmark in Node on Dawn, in one thread and one realm, for a machine with a GPU and no browser. `npm run lab -- bench --runtime
 * node` starts it as a process of its own, because Dawn may crash when the process ends: the result is in its file by then. Arguments: a
 * file with the options, and the file for the result.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, sep } from 'node:path';
import { create, globals } from 'webgpu';
import { runBenchmark, type BenchHost, type BenchOptions } from './run.ts';
import { createParticipant } from './participants/create.ts';
import { filesAtPath } from '@rl-playground/engine/parts/node';
import { isPythonPeer } from './types.ts';
import { printRow, progressPrinter } from './benchProgress.ts';

function nodeHost(): BenchHost {
  const wasm = createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm/package.json');
  return {
    environment: { wasmPath: `${dirname(wasm)}${sep}dist${sep}`, threads: 1 },
    available: new Set(['ours', 'tfjs', 'jax-js']),
    start: async (name, environment) => {
      if (isPythonPeer(name)) throw new Error(`${name} is no participant of the benchmark in Node.`);
      return createParticipant(name, environment, (label, path) => filesAtPath(path, label));
    },
  };
}

/** Dawn's package under the names that a browser has, with two of its gaps closed. Call once, before anything asks for `navigator.gpu`. */
function installDawn(): void {
  Object.assign(globalThis, globals);
  const navigator = { gpu: create([]), userAgent: 'Node.js', hardwareConcurrency: availableParallelism() };
  Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });
  acceptEverySource();
}

/** Makes `writeBuffer` get bytes. That of webgpu 0.6.2 refuses a DataView and crashes on shared memory; browsers take both. */
function acceptEverySource(): void {
  const original = Reflect.get(GPUQueue.prototype, 'writeBuffer') as (
    buffer: GPUBuffer,
    offset: number,
    bytes: Uint8Array,
  ) => undefined;
  GPUQueue.prototype.writeBuffer = function (this: GPUQueue, buffer, offset, source, first, size) {
    return original.call(this, buffer, offset, bytesOf(source, first, size));
  };
}

/** The part that `first` and `size` name, in elements of the source, in memory of its own where the source's is shared. */
function bytesOf(source: ArrayBufferView | ArrayBufferLike, first = 0, size?: number): Uint8Array {
  const view = ArrayBuffer.isView(source) ? source : new Uint8Array(source);
  const element = 'BYTES_PER_ELEMENT' in view ? Number(view.BYTES_PER_ELEMENT) : 1;
  const length = size === undefined ? view.byteLength - first * element : size * element;
  const bytes = new Uint8Array(view.buffer, view.byteOffset + first * element, length);
  return view.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
}

const [optionsFile, resultFile] = process.argv.slice(2);
if (optionsFile === undefined || resultFile === undefined) throw new Error('Two file names are needed.');
const options = JSON.parse(readFileSync(optionsFile, 'utf8')) as BenchOptions;
installDawn();
// Neither Dawn's promises nor our own breathing keep a process alive.
const alive = setInterval(() => {}, 1000);
const outcome = await runBenchmark(options, nodeHost(), { onProgress: progressPrinter(), onRow: printRow });
clearInterval(alive);
writeFileSync(resultFile, JSON.stringify(outcome));
process.exit(0);
