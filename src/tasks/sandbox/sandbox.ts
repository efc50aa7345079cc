/** Runs the user's programs in an interpreter inside a worker, with a watchdog outside. Problems and completions go in, rewards come out. */
import { realTimers, SilenceWatch, type Timers } from '@rl-playground/base/deadline';
import { DEFAULT_LIMITS, FAILURES_A_KILL, GUARD, GUARD_AGAIN, type Limits } from './limits.ts';
import type { Outcome } from './outcome.ts';
import type { ScoreProgram } from '../custom/customTask.ts';
import type { Reward, ScoredItem } from '../define/types.ts';

/** A message of the page to the worker. */
export interface ScoreRequest {
  /** The batch's number, which answers repeat. */
  readonly id: number;
  /** The program as the user wrote it. */
  readonly source: string;
  /** JSON of `problem` and `completion` each. */
  readonly items: readonly string[];
  readonly limits: Limits;
}

/** A message of the worker. */
export type ScoreAnswer =
  /** The sandbox is loaded and has read the program: the first item is next. */
  | { readonly id: number; readonly kind: 'ready' }
  | { readonly id: number; readonly kind: 'outcome'; readonly outcome: Outcome }
  /** The program itself can't be read, or the interpreter not loaded: no item has an outcome. */
  | { readonly id: number; readonly kind: 'failed'; readonly error: string };

interface Batch {
  readonly source: string;
  readonly items: readonly string[];
  readonly outcomes: Outcome[];
  /** The failures since its last score; a killed worker counts as several. */
  failures: number;
  /** True once a completion over which a worker fell silent was given to another one, which may take longer. */
  wasTriedAgain: boolean;
  readonly finish: (outcomes: Outcome[]) => void;
}

const failed = (error: string): Outcome => ({ error, logs: [] });

export interface Sandbox {
  /** Scores every item (JSON of `problem` and `completion`), in order, batch after batch. Never rejects. */
  score(source: string, items: readonly string[]): Promise<Outcome[]>;
  /** Ends the worker; what is under way is answered with an error. */
  dispose(): void;
}

/**
 * A sandbox with one worker at a time. A worker that is silent for too long is killed. The first item of a batch over which that happens is
 * tried once more, for longer; otherwise it is answered with an error, and the next goes to a new worker. After `limits.mostFailures` failures in a row, the rest of a batch is answered without being run.
 */
export function createSandbox(limits: Limits = DEFAULT_LIMITS, timers: Timers = realTimers): Sandbox {
  let worker: Worker | null = null;
  /** The worker has read the program. */
  let ready = false;
  let id = 0;
  let busy: Batch | null = null;
  const waiting: Batch[] = [];

  const silent = (milliseconds: number): void => {
    const seconds = milliseconds / 1000;
    if (ready && busy?.wasTriedAgain === false) {
      kill();
      busy.wasTriedAgain = true;
      watch = patient;
      send(busy);
      return;
    }
    const said = ready
      ? `The program was killed after ${seconds} s inside a single operation, or in steps that each take long. It must be done by then.`
      : `The interpreter did not load within ${seconds} s.`;
    kill();
    // The machine is not to blame: a second try took as long.
    watch = guard;
    record(failed(said), FAILURES_A_KILL);
  };
  const guard = new SilenceWatch(GUARD, silent, timers);
  const patient = new SilenceWatch(GUARD_AGAIN, silent, timers);
  let watch = guard;

  function kill(): void {
    watch.restart();
    worker?.terminate();
    worker = null;
  }

  /** Gives the items that have no outcome yet to the worker, a new one where there is none. */
  function send(batch: Batch): void {
    worker ??= startWorker();
    const request: ScoreRequest = {
      id: ++id,
      source: batch.source,
      items: batch.items.slice(batch.outcomes.length),
      limits,
    };
    ready = false;
    watch.restart();
    watch.begin();
    worker.postMessage(request);
  }

  function startWorker(): Worker {
    const started = new Worker(new URL('./sandboxWorker.ts', import.meta.url), {
      type: 'module',
      name: 'score program',
    });
    started.addEventListener('message', (event: MessageEvent<ScoreAnswer>) => receive(event.data));
    started.addEventListener('error', (event) => {
      event.preventDefault();
      if (started !== worker) return;
      kill();
      record(failed(`The interpreter broke (${event.message || 'no reason given'}).`));
    });
    return started;
  }

  function receive(message: ScoreAnswer): void {
    if (message.id !== id || busy === null) return;
    if (message.kind === 'failed') finish(busy, failed(message.error));
    else if (message.kind === 'outcome') record(message.outcome);
    else {
      ready = true;
      watch.roundEnded();
    }
  }

  /** Notes the outcome of the next item; an error counts as `weight` failures. */
  function record(outcome: Outcome, weight = 1): void {
    const batch = busy;
    if (batch === null) return;
    batch.outcomes.push(outcome);
    batch.failures = 'error' in outcome ? batch.failures + weight : 0;
    if (batch.outcomes.length >= batch.items.length) finish(batch, null);
    else if (batch.failures >= limits.mostFailures) {
      kill();
      const inARow = batch.outcomes.length - 1 - batch.outcomes.findLastIndex((each) => 'scored' in each);
      finish(batch, failed(`Not run, because the program failed ${inARow} times in a row.`));
    } else if (worker === null) send(batch);
    else watch.heard();
  }

  /** Answers a batch, items without an outcome with `rest`, and begins the next. */
  function finish(batch: Batch, rest: Outcome | null): void {
    watch.end();
    watch = guard;
    const { items, outcomes } = batch;
    const missing = items.length - outcomes.length;
    if (rest !== null) outcomes.push(...Array.from({ length: missing }, () => rest));
    busy = null;
    batch.finish(outcomes);
    next();
  }

  function next(): void {
    const batch = busy === null ? waiting.shift() : undefined;
    if (batch === undefined) return;
    busy = batch;
    send(batch);
  }

  return {
    score(source, items) {
      if (items.length === 0) return Promise.resolve([]);
      return new Promise((finishBatch) => {
        waiting.push({ source, items, outcomes: [], failures: 0, wasTriedAgain: false, finish: finishBatch });
        next();
      });
    },
    dispose() {
      kill();
      const open = [...(busy === null ? [] : [busy]), ...waiting.splice(0)];
      busy = null;
      for (const batch of open) finish(batch, failed('Scoring was ended.'));
    },
  };
}

/** The JSON for a program: problem { question, answer, index, split } and completion { text, tokens, stopReason }. */
export function itemJson({ problem, completion }: ScoredItem): string {
  const { question, answer, index, split } = problem;
  const { text, tokens, stopReason } = completion;
  return JSON.stringify({
    problem: { question, answer, index, split },
    completion: { text, tokens, stopReason },
  });
}

export function rewardOf(outcome: Outcome): Reward {
  if ('scored' in outcome) return outcome.scored;
  const { error } = outcome;
  return {
    total: 0,
    parts: { reward: 0 },
    correct: false,
    format: false,
    reason: error,
    extracted: null,
    error,
  };
}

/** Runs programs in `sandbox`. */
export function scoreProgram(sandbox: Sandbox): ScoreProgram {
  return async (source, items) => {
    const outcomes = await sandbox.score(source, items.map(itemJson));
    return outcomes.map(rewardOf);
  };
}
