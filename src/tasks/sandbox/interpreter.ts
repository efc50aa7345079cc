/**
 * QuickJS compiled to WebAssembly. A program in it sees only the language: no function of ours, no network, page, storage or clock. Each
 * completion has its own interpreter, so that no score depends on another.
 */
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  Scope,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { messageOf } from '@rl-playground/base/errors';
import { fnv1a32 } from '@rl-playground/base/random';
import { grouped } from '@rl-playground/base/text';
import { MEMORY_PAGES, MOST_INPUT, PAGE_BYTES, STEPS_A_LOOK, type Limits } from './limits.ts';
import { readDescription, type Outcome } from './outcome.ts';
import { prelude } from './prelude.ts';

/** The file name in error messages. */
const PROGRAM_NAME = 'score.ts';

/** Finds the function that the program defines or exports. */
const FIND_SCORE =
  "(typeof score === 'function' ? score : typeof module.exports === 'function' ? module.exports : module.exports.score ?? module.exports.default ?? exports.score ?? exports.default)";

/** Lines that Python has and JavaScript never. */
const PYTHON =
  /^[ \t]*(def \w+\(.*\).*:|from [\w.]+ import .*|import \w+|elif .*:|return .* if .* else .*)[ \t]*$/m;

/** The sentence on a program that can't be read, with its line and a mark below the place. `said` is sucrase's message. */
function unreadable(source: string, said: string): string {
  const [, reason = said, line, column] = /: ([^\n]*?) \((\d+):(\d+)\)/.exec(said) ?? [];
  const python = PYTHON.test(source)
    ? 'It looks like Python; the program is TypeScript or JavaScript, such as "function score(problem, completion) { return completion.includes(problem.answer) ? 1 : 0; }". '
    : '';
  if (line === undefined || column === undefined) return `${python}The program can’t be read: ${reason}`;
  const text = source.split('\n')[Number(line) - 1] ?? '';
  return `${python}The program can’t be read at line ${line}, column ${column}: ${reason}\n${text}\n${' '.repeat(Number(column) - 1)}^`;
}

/**
 * Turns TypeScript into JavaScript: types go, imports and exports become `require` and `exports`, and lines stay.
 *
 * @throws Error with line, column and a mark if the program can't be read.
 */
export async function stripTypes(source: string): Promise<string> {
  const { transform } = await import('sucrase');
  try {
    return transform(source, {
      transforms: ['typescript', 'imports'],
      disableESTransforms: true,
      production: true,
      filePath: PROGRAM_NAME,
    }).code;
  } catch (error) {
    throw new Error(unreadable(source, messageOf(error)), { cause: error });
  }
}

/** The prelude's words for it. */
const THREW_NULL = 'The program threw null';

/** Room beyond the limits for the words of an error, after a program has used the limits up. */
const EXTRA = { steps: 1_000_000, memoryBytes: 2 ** 20 };
/** Jobs (steps of promises) a program may queue. */
const MOST_JOBS = 10_000;
/** Longest text read out of the interpreter. */
const MOST_OUTPUT = 100_000;

/** An error whose message is for the user. */
class ProgramError extends Error {}

/** A fresh interpreter of its compiled file, or of the address at which a browser finds that; null if Node finds it by itself. */
export async function loadQuickJs(wasm: string | WebAssembly.Module | null): Promise<QuickJSWASMModule> {
  // QuickJS compiled to wasm hardly counts what its objects hold, so its own limit comes late: what it can't be given ends it.
  const wasmMemory = new WebAssembly.Memory(MEMORY_PAGES);
  return newQuickJSWASMModuleFromVariant(
    newVariant(variant, {
      wasmMemory,
      ...(typeof wasm === 'string' && { wasmLocation: wasm }),
      ...(wasm instanceof WebAssembly.Module && { wasmModule: wasm }),
    }),
  );
}

/** The words for an error out here: our own, or those of an interpreter that broke or ran out of the browser's stack. */
function wordsFor(error: unknown): string {
  if (error instanceof RangeError) return 'The program calls itself, or nests, too deeply.';
  if (error instanceof WebAssembly.RuntimeError) return `The interpreter broke (${error.message}).`;
  return messageOf(error);
}

/** The scoring of one completion by one program. */
class Scoring {
  private readonly runtime: QuickJSRuntime;
  private readonly context: QuickJSContext;
  private readonly limits: Limits;
  /** All handles, because a forgotten one would break the interpreter at its end. */
  private readonly handles = new Scope();
  private steps = 0;
  private mostSteps: number;
  private stopped = false;

  constructor(quickJs: QuickJSWASMModule, limits: Limits) {
    this.limits = limits;
    this.runtime = quickJs.newRuntime();
    this.runtime.setMemoryLimit(limits.memoryBytes);
    this.runtime.setMaxStackSize(limits.stackBytes);
    this.mostSteps = limits.steps;
    this.runtime.setInterruptHandler(() => {
      this.steps += STEPS_A_LOOK;
      const over = this.steps > this.mostSteps;
      this.stopped ||= over;
      return over;
    });
    this.context = this.runtime.newContext();
  }

  /** Disposes the interpreter, and says whether it was in order. */
  dispose(): boolean {
    try {
      this.handles.dispose();
      this.context.dispose();
      this.runtime.dispose();
      return true;
    } catch {
      return false;
    }
  }

  private evaluate(code: string, name: string, tools: QuickJSHandle | null): QuickJSHandle {
    const result = this.context.evalCode(code, name, { strict: false, type: 'global' });
    if (result.error) throw this.failure(result.error, tools);
    return this.handles.manage(result.value);
  }

  private call(tools: QuickJSHandle, tool: number, ...values: QuickJSHandle[]): QuickJSHandle {
    const result = this.context
      .getProp(tools, tool)
      .consume((found) => this.context.callFunction(found, this.context.undefined, ...values));
    if (result.error) throw this.failure(result.error, tools);
    return this.handles.manage(result.value);
  }

  private text(handle: QuickJSHandle): string {
    const length = this.context.getProp(handle, 'length').consume((found) => this.context.getNumber(found));
    if (this.context.typeof(handle) !== 'string' || !(length <= MOST_OUTPUT))
      throw new ProgramError('What came out of the program is too long to be read.');
    return this.context.getString(handle);
  }

  /** Name, message and stack of what was thrown, as far as they can be had. */
  private explain(error: QuickJSHandle, tools: QuickJSHandle | null): string[] {
    if (tools === null) return ['the program failed'];
    const result = this.context
      .getProp(tools, 2)
      .consume((explain) => this.context.callFunction(explain, this.context.undefined, error));
    if (result.error) {
      result.error.dispose();
      return ['the program failed'];
    }
    const parsed: unknown = JSON.parse(this.text(this.handles.manage(result.value)));
    return Array.isArray(parsed) ? parsed.map(String) : [];
  }

  /** The words for what was thrown; the limits that were reached come before anything a program says. */
  private failure(error: QuickJSHandle, tools: QuickJSHandle | null): ProgramError {
    const { steps, memoryBytes } = this.limits;
    const stopped = this.stopped;
    this.handles.manage(error);
    this.extend();
    const [message = '', stack = ''] = this.explain(error, tools);
    if (stopped)
      return new ProgramError(
        `The program was stopped after ${grouped(steps)} steps (calls and rounds of loops). It must be done by then.`,
      );
    if (message.startsWith('InternalError: out of memory'))
      return new ProgramError(
        `The program asked for more than its ${Math.round(memoryBytes / 2 ** 20)} MB of memory. Keep less at a time.`,
      );
    // Where not even the error finds room, QuickJS throws null, and what filled the memory is gone by now.
    if (message === THREW_NULL)
      return new ProgramError(
        `${message}. That is also what remains where its ${Math.round(memoryBytes / 2 ** 20)} MB of memory are used up to the last byte.`,
      );
    const line = /score\.ts:(\d+)/.exec(stack)?.[1];
    return new ProgramError(line === undefined ? message : `${message} (line ${line})`);
  }

  private extend(): void {
    this.mostSteps = this.steps + EXTRA.steps;
    this.runtime.setMemoryLimit(this.limits.memoryBytes + EXTRA.memoryBytes);
  }

  /** The result of a promise, after running its jobs; any other value is unchanged. */
  private settle(value: QuickJSHandle, tools: QuickJSHandle): QuickJSHandle {
    // Asked once, since each asking makes a handle: the jobs of what is no promise, or settled, do no harm.
    const ran = this.runtime.executePendingJobs(MOST_JOBS);
    if (ran.error) throw this.failure(ran.error, tools);
    const state = this.context.getPromiseState(value);
    if (state.type === 'fulfilled')
      return state.notAPromise === true ? value : this.handles.manage(state.value);
    if (state.type === 'rejected') throw this.failure(state.error, tools);
    throw new ProgramError(
      this.runtime.hasPendingJob()
        ? `score queued more than ${MOST_JOBS} steps of promises. Return a number instead.`
        : 'score returned a promise that nothing will ever settle: nothing here takes time to wait for. Return a number.',
    );
  }

  run(program: string, item: string): Outcome {
    let tools: QuickJSHandle | null = null;
    let outcome: { readonly scored: ReturnType<typeof readDescription> } | { readonly error: string };
    try {
      tools = this.evaluate(prelude(fnv1a32(item)), 'prelude.js', null);
      this.evaluate(program, PROGRAM_NAME, tools);
      const score = this.evaluate(FIND_SCORE, 'find.js', tools);
      if (this.context.typeof(score) !== 'function')
        throw new ProgramError(
          'The program defines no function named score. Write: function score(problem, completion) { … }',
        );
      const input = this.handles.manage(this.context.newString(item));
      const returned = this.call(tools, 0, score, input);
      const settled = this.settle(returned, tools);
      outcome = { scored: readDescription(this.text(this.call(tools, 1, settled))) };
    } catch (error) {
      outcome = { error: wordsFor(error) };
    }
    return { ...outcome, logs: tools === null ? [] : this.logs(tools) };
  }

  private logs(tools: QuickJSHandle): string[] {
    this.extend();
    try {
      const lines: unknown = JSON.parse(this.text(this.call(tools, 3)));
      return Array.isArray(lines) ? lines.map(String) : [];
    } catch {
      return ['What the program wrote to its console could not be read.'];
    }
  }
}

export interface Scored {
  readonly outcome: Outcome;
  /** False if the interpreter has to be loaded again: running out of memory may leave it in disorder, and it never gives memory back. */
  readonly sound: boolean;
}

/**
 * Scores one completion with a program in plain JavaScript; `item` is JSON with `problem` and `completion`. It never takes more steps than
 * the limits allow, and never throws.
 */
export function scoreWith(quickJs: QuickJSWASMModule, program: string, item: string, limits: Limits): Scored {
  if (item.length > MOST_INPUT) {
    const error = `The problem and its completion have ${item.length} characters; at most ${MOST_INPUT} can be scored.`;
    return { outcome: { error, logs: [] }, sound: true };
  }
  const scoring = new Scoring(quickJs, limits);
  const outcome = scoring.run(program, item);
  const grown = quickJs.getWasmMemory().buffer.byteLength > MEMORY_PAGES.initial * PAGE_BYTES;
  return { outcome, sound: scoring.dispose() && !grown };
}
