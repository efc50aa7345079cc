/** Peers of the benchmark in Python: a child process each, which is asked and answers in lines of JSON. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ParticipantAnswer, ParticipantRequest } from './participants/asked.ts';
import { firstAdapter, flatBatch, TRAINING, trainingData, type AdapterRank } from './participants/inputs.ts';
import { pythonDevice } from './peerChoice.ts';
import type { PythonPeer, StepWorkload, TrainWorkload, Workload } from './types.ts';
import { defaultConfig } from '@rl-playground/run/settings';
import {
  type LoadedModel,
  loadModel,
  writeSafetensors,
  type ModelConfig,
  type TensorData,
} from '@rl-playground/engine/parts';
import { taskAt, taskMix, trainingProblem } from '@rl-playground/run/loop';
import { filesInFolder } from '@rl-playground/engine/parts/node';
import { repository } from '../../src/cli/tools.ts';

const PROGRAM = join(repository, 'lab/bench/peers/python/serve.py');
/**
 * The number of threads. One is the fastest for models as small as the starters, because torch's threads wait for each other at every
 * product. Larger models take all cores.
 */
const THREADS = 1;
/** The number of problems, more than a benchmark asks for. After them the first comes again. */
const PROBLEMS = 4096;

/** Starts Python's peers at their first request. `folder` has the model in Hugging Face layout; null stands for random weights, which they lack. */
export class PythonPeers {
  readonly #python: string;
  readonly #folder: string | null;
  readonly #started = new Map<PythonPeer, PythonProcess>();
  #model: Promise<LoadedModel> | null = null;
  /** Folder of files that a peer is pointed to. */
  #exchange: string | null = null;

  constructor(python: string, folder: string | null) {
    this.#python = python;
    this.#folder = folder;
  }

  /** @throws Error with the peer's own words. */
  async ask(peer: PythonPeer, request: ParticipantRequest): Promise<ParticipantAnswer> {
    const process = this.#started.get(peer) ?? new PythonProcess(this.#python, peer);
    this.#started.set(peer, process);
    if (request.kind === 'start') {
      const device = pythonDevice(request.environment);
      return process.ask({ kind: 'start', threads: THREADS, device, tf32: peer === 'torch tf32' });
    }
    if (request.kind !== 'prepare') return process.ask(request);
    return process.ask({ kind: 'prepare', workload: await this.#workload(request.workload) });
  }

  dispose(): void {
    for (const process of this.#started.values()) process.end();
    if (this.#exchange !== null) rmSync(this.#exchange, { recursive: true, force: true });
  }

  /** The first factors of LoRA as a file. */
  #adapterFile(rank: AdapterRank, config: ModelConfig): string {
    this.#exchange ??= mkdtempSync(join(tmpdir(), 'rl-playground-bench-'));
    const path = join(this.#exchange, 'adapter.safetensors');
    const { specs, packed } = firstAdapter(rank, config);
    const tensors = specs.flatMap(({ module, a, b }) =>
      [
        { name: `${module}.lora_A`, ...a },
        { name: `${module}.lora_B`, ...b },
      ].map(({ name, offset, shape }): [string, TensorData] => {
        return [name, { shape, data: packed.subarray(offset, offset + shape[0] * shape[1]) }];
      }),
    );
    writeFileSync(path, writeSafetensors(new Map(tensors)));
    return path;
  }

  /** A workload with everything for a program that has nothing of ours except the model's folder. */
  async #workload(workload: Workload): Promise<object> {
    const folder = this.#folder;
    if (folder === null)
      throw new Error('Peers in Python need a model with files; random weights have none.');
    this.#model ??= loadModel(filesInFolder(folder));
    const model = await this.#model;
    if (workload.kind === 'train') {
      const { rank } = workload;
      if (rank === undefined)
        return { folder, adapter: null, threads: THREADS, ...trainInputs(workload, model) };
      const adapter = this.#adapterFile({ rank }, model.config);
      return { folder, adapter, threads: availableParallelism(), ...trainInputs(workload, model) };
    }
    if (workload.kind === 'step') return { folder, ...stepInputs(workload, model) };
    throw new Error(`Peers in Python have no workload ${workload.kind}.`);
  }
}

function trainInputs(workload: TrainWorkload, { config }: LoadedModel): object {
  const { rollouts, length } = workload;
  const { inputs, targets, weights } = flatBatch(trainingData(workload, config));
  return {
    rollouts,
    length,
    inputs: Array.from(inputs),
    targets: Array.from(targets),
    // The loss is minus the weighted sum of log-probabilities: of cross entropies the sum itself.
    weights: Array.from(weights),
    training: TRAINING,
  };
}

/** The problems of a default run, in its order, and the settings that decide how much work a step is. */
function stepInputs({ task }: StepWorkload, { promptStyle }: LoadedModel): object {
  const config = defaultConfig(task);
  const tasks = taskMix(config);
  const problems = Array.from({ length: PROBLEMS }, (_, index) => {
    const { problem, taskIndex } = trainingProblem(tasks, null, config.seed, index);
    const messages = taskAt(tasks, taskIndex).task.messages(problem, promptStyle);
    return { messages, answer: problem.answer };
  });
  return {
    problems,
    settings: {
      problems: config.problemsPerStep,
      samples: config.rolloutsPerProblem,
      maxTokens: config.maxTokens,
      temperature: config.temperature,
      learningRate: config.learningRate,
      beta1: config.adamBeta1,
      beta2: config.adamBeta2,
      epsilon: config.adamEps,
      weightDecay: config.weightDecay,
      clipNorm: config.clipNorm,
      clipLow: config.clipLow,
      clipHigh: config.clipHigh,
    },
  };
}

type Reply<T> = { readonly answer: T } | { readonly error: string };

/** One request at a time. */
class PythonProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  #lastWords = '';
  #ended: string | null = null;
  #waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void } | null =
    null;

  constructor(python: string, peer: PythonPeer) {
    // Python would write what it compiles among the sources.
    const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
    const child = spawn(python, [PROGRAM, peer], { stdio: 'pipe', env });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-2000);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#waiting?.resolve(line);
      this.#waiting = null;
    });
    child.once('error', (error) => this.#fail(`${python} did not start: ${error.message}`));
    child.once('close', (code) =>
      this.#fail(`${python} ended (${code ?? 'killed'}): ${this.#lastWords.trim().split('\n').at(-1) ?? ''}`),
    );
    // The program has ended; `close` reports the reason.
    child.stdin.on('error', () => {});
  }

  async ask<T>(request: object): Promise<T> {
    const line = await new Promise<string>((resolve, reject) => {
      if (this.#ended !== null) {
        reject(new Error(this.#ended));
        return;
      }
      this.#waiting = { resolve, reject };
      this.#child.stdin.write(`${JSON.stringify(request)}\n`);
    });
    const reply = JSON.parse(line) as Reply<T>;
    if ('error' in reply) throw new Error(reply.error);
    return reply.answer;
  }

  end(): void {
    this.#child.kill();
  }

  #fail(reason: string): void {
    this.#ended ??= reason;
    this.#waiting?.reject(new Error(this.#ended));
    this.#waiting = null;
  }
}
