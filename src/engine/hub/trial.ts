/**
 * Tries a model's tokenizer and chat template where they can be ended, before this thread runs them. Patterns and templates are programs
 * by the model's makers, and nothing stops one that has begun on the page's own thread. In browsers the trial runs in a worker, under
 * Node in a context with a time limit. Files that passed once are not tried again.
 *
 * The trial can't foresee everything. A template that behaves until it meets a certain question is stopped by its interpreter's own
 * bounds each time it is rendered (`template/work.ts`). A pattern that only backtracks over texts unlike all those that were tried
 * still takes its time on the thread that meets one.
 */
import type { createContext, runInContext } from 'node:vm';
import { DEADLINE } from '@rl-playground/base/deadline';
import { ModelFileError } from './types.ts';
import { TRIAL_LIMITS, trialSteps, type TrialLimits, type TriedFiles, type TrialStep } from './trialSteps.ts';
import type { TrialMessage, TrialRequest } from './trialWorker.ts';

/** The milliseconds in which messages that already wait can arrive: a page that was busy itself sees its timers before them. */
const SECOND_LOOK_MILLISECONDS = 250;

/** The SHA-256 of files that passed. */
const sound = new Set<string>();

/** A step that took too long, or null if all passed. */
type Ended = Pick<TrialStep, 'what' | 'milliseconds'> | null;

function tooLong(label: string, { what, milliseconds }: NonNullable<Ended>): ModelFileError {
  return new ModelFileError(
    `${label}: ${what} was ended after ${milliseconds / 1000} s, the most that is allowed. The model is not loaded; use the tokenizer files of the original model.`,
  );
}

function broken(label: string, reason: string): ModelFileError {
  return new ModelFileError(
    `${label}: its tokenizer could not be tried (${reason}). Use the tokenizer files of the original model, or reload the page and try again.`,
  );
}

/** The hash of the files; null if the browser has no SHA-256, as on a page without https. */
async function keyOf({ tokenizerJson, tokenizerConfig, chatTemplate }: TriedFiles): Promise<string | null> {
  const subtle: SubtleCrypto | undefined = globalThis.crypto.subtle;
  if (!subtle) return null;
  const digests = await Promise.all(
    [tokenizerJson, tokenizerConfig, chatTemplate ?? new Uint8Array()].map(async (bytes) =>
      new Uint8Array(await subtle.digest('SHA-256', new Uint8Array(bytes))).toString(),
    ),
  );
  return `${digests.join('|')}|${chatTemplate === null}`;
}

/** The limits multiplied by `times`. */
function longer(limits: TrialLimits, times: number): TrialLimits {
  const { reading, perMegabyte, rendering, cutting } = limits;
  return {
    ...limits,
    reading: reading * times,
    perMegabyte: perMegabyte * times,
    rendering: rendering * times,
    cutting: cutting * times,
  };
}

/** @throws ModelFileError if a step takes too long in every try, or makes too much; the reason of `signal` when it aborts. */
export async function tryTokenizer(
  label: string,
  files: TriedFiles,
  signal?: AbortSignal,
  limits: TrialLimits = TRIAL_LIMITS,
): Promise<void> {
  signal?.throwIfAborted();
  const key = await keyOf(files);
  if (key !== null && sound.has(key)) return;
  const underNode = nodeContexts();
  let ended: Ended = null;
  for (const times of limits.tries) {
    const request = { files, limits: longer(limits, times) };
    ended =
      underNode === null
        ? await tryInWorker(label, request, signal)
        : tryInContext(label, request, underNode);
    if (ended === null) break;
  }
  if (ended !== null) throw tooLong(label, ended);
  if (key !== null) sound.add(key);
}

function tryInWorker(label: string, request: TrialRequest, signal: AbortSignal | undefined): Promise<Ended> {
  const worker = new Worker(new URL('./trialWorker.ts', import.meta.url), {
    type: 'module',
    name: 'tokenizer trial',
  });
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  const trial = new Promise<Ended>((resolve, reject) => {
    const watch = (milliseconds: number, what: string): void => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => {
        watchdog = setTimeout(() => resolve({ what, milliseconds }), SECOND_LOOK_MILLISECONDS);
      }, milliseconds);
    };
    const stop = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      reject(broken(label, event.message || 'no reason given'));
    });
    worker.addEventListener('message', ({ data }: MessageEvent<TrialMessage>) => {
      if (data.kind === 'step') watch(data.milliseconds, data.what);
      else if (data.kind === 'sound') resolve(null);
      else if (data.forUser) reject(new ModelFileError(`${label}: ${data.message}`));
      else reject(broken(label, data.message));
    });
    // This limit is for fetching and starting the worker, before anything of the model runs.
    watch(DEADLINE.first, 'starting the trial of the tokenizer');
    worker.postMessage(request);
  });
  return trial.finally(() => {
    clearTimeout(watchdog);
    worker.terminate();
  });
}

/** True if Node ended a script at its time limit. The error is an `Error` of the context that was ended, and not of this module. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

interface Contexts {
  readonly createContext: typeof createContext;
  readonly runInContext: typeof runInContext;
}

/** Makes contexts under Node; null in browsers. */
function nodeContexts(): Contexts | null {
  const { process: node } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): Contexts };
  };
  return node?.getBuiltinModule?.('node:vm') ?? null;
}

function tryInContext(label: string, { files, limits }: TrialRequest, vm: Contexts): Ended {
  for (const { what, milliseconds, run } of trialSteps(files, limits))
    try {
      vm.runInContext('run()', vm.createContext({ run }), { timeout: milliseconds });
    } catch (error) {
      if (isTimeout(error)) return { what, milliseconds };
      if (error instanceof ModelFileError) throw new ModelFileError(`${label}: ${error.message}`);
      throw broken(label, error instanceof Error ? error.message : String(error));
    }
  return null;
}
