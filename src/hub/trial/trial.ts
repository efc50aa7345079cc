/**
 * Tries a model's tokenizer and chat template where they can be ended, before this thread runs them: patterns and templates are programs
 * of whoever made the model, and nothing stops one that has begun on the page's own thread. In browsers that is a worker, under Node a
 * context with a time limit. What was sound once is not tried again.
 *
 * The trial can't foresee all: a template that behaves until it meets a certain question is stopped by its interpreter's own bounds each
 * time it is rendered (`templateInterpreter.ts`); a pattern that only backtracks over texts unlike all those it was tried with still takes
 * its time on the thread that meets one.
 */
import type { createContext, runInContext } from 'node:vm';
import { ModelFileError } from '../types.ts';
import { trialSteps, type TriedFiles } from './steps.ts';
import type { TrialMessage } from './trialWorker.ts';

/** For fetching and starting the worker, before anything of the model runs. */
const LOADING_MILLISECONDS = 30_000;
/** One more moment for messages that already wait: a page that was busy itself sees its timers before them. */
const SECOND_LOOK_MILLISECONDS = 250;

/** SHA-256 of files that were sound. */
const sound = new Set<string>();

function ended(label: string, what: string, milliseconds: number): ModelFileError {
  return new ModelFileError(
    `${label}: ${what} was ended after ${milliseconds / 1000} s, the most that is allowed. The model is not loaded; use the tokenizer files of the original model.`,
  );
}

function broken(label: string, reason: string): ModelFileError {
  return new ModelFileError(
    `${label}: its tokenizer could not be tried (${reason}). Use the tokenizer files of the original model, or reload the page and try again.`,
  );
}

/** Null where the browser has no SHA-256, as on a page without https. */
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

/** @throws ModelFileError where a step takes too long, or makes too much; the reason of `signal` when it aborts. */
export async function tryTokenizer(label: string, files: TriedFiles, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const key = await keyOf(files);
  if (key !== null && sound.has(key)) return;
  const underNode = nodeContexts();
  if (underNode === null) await tryInWorker(label, files, signal);
  else tryInContext(label, files, underNode);
  if (key !== null) sound.add(key);
}

function tryInWorker(label: string, files: TriedFiles, signal: AbortSignal | undefined): Promise<void> {
  const worker = new Worker(new URL('./trialWorker.ts', import.meta.url), {
    type: 'module',
    name: 'tokenizer trial',
  });
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  const trial = new Promise<void>((resolve, reject) => {
    const watch = (milliseconds: number, what: string): void => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => {
        watchdog = setTimeout(() => reject(ended(label, what, milliseconds)), SECOND_LOOK_MILLISECONDS);
      }, milliseconds);
    };
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      reject(broken(label, event.message || 'no reason given'));
    });
    worker.addEventListener('message', ({ data }: MessageEvent<TrialMessage>) => {
      if (data.kind === 'step') watch(data.milliseconds, data.what);
      else if (data.kind === 'sound') resolve();
      else if (data.forUser) reject(new ModelFileError(`${label}: ${data.message}`));
      else reject(broken(label, data.message));
    });
    watch(LOADING_MILLISECONDS, 'starting the trial of the tokenizer');
    worker.postMessage(files);
  });
  return trial.finally(() => {
    clearTimeout(watchdog);
    worker.terminate();
  });
}

/** Whether Node ended a script at its time limit. Such an error is of the context that was ended: an `Error`, but not this module's. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

interface Contexts {
  readonly createContext: typeof createContext;
  readonly runInContext: typeof runInContext;
}

/** Null in browsers. */
function nodeContexts(): Contexts | null {
  const { process: node } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): Contexts };
  };
  return node?.getBuiltinModule?.('node:vm') ?? null;
}

function tryInContext(label: string, files: TriedFiles, vm: Contexts): void {
  for (const { what, milliseconds, run } of trialSteps(files))
    try {
      vm.runInContext('run()', vm.createContext({ run }), { timeout: milliseconds });
    } catch (error) {
      if (isTimeout(error)) throw ended(label, what, milliseconds);
      if (error instanceof ModelFileError) throw new ModelFileError(`${label}: ${error.message}`);
      throw broken(label, error instanceof Error ? error.message : String(error));
    }
}
