/** The user's programs, run where they can do no harm: an interpreter inside a worker, with a watchdog outside. */
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { ScoreAnswer, ScoreRequest } from './messages.ts';
import type { Outcome } from './outcome.ts';

/** For fetching, compiling and reading the program, before any of it runs. */
const LOADING_MILLISECONDS = 30_000;
/**
 * After the time is over, one more moment for messages that already wait: a page that was busy itself sees its timers before them.
 */
const SECOND_LOOK_MILLISECONDS = 250;

interface Batch {
  readonly source: string;
  readonly items: readonly string[];
  readonly outcomes: Outcome[];
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
 * A sandbox with one worker at a time. A worker that overruns the limits is killed, its item answered with an error, and the next item
 * given to a new one. After `limits.mostFailures` failures in a row the rest of a batch is answered without being run.
 */
export function createSandbox(limits: Limits = DEFAULT_LIMITS): Sandbox {
  let worker: Worker | null = null;
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  let id = 0;
  let busy: Batch | null = null;
  const waiting: Batch[] = [];

  function kill(): void {
    clearTimeout(watchdog);
    worker?.terminate();
    worker = null;
  }

  function watch(milliseconds: number, said: string): void {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => {
      watchdog = setTimeout(() => {
        kill();
        record(failed(said));
      }, SECOND_LOOK_MILLISECONDS);
    }, milliseconds);
  }

  function watchItem(): void {
    const most = limits.milliseconds + limits.graceMilliseconds;
    watch(
      most,
      `The program was killed after ${most} ms, inside a single operation. It must be done within ${limits.milliseconds} ms.`,
    );
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
    worker.postMessage(request);
    watch(LOADING_MILLISECONDS, `The interpreter did not load within ${LOADING_MILLISECONDS / 1000} s.`);
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
    else watchItem();
  }

  function record(outcome: Outcome): void {
    const batch = busy;
    if (batch === null) return;
    batch.outcomes.push(outcome);
    const last = batch.outcomes.slice(-limits.mostFailures);
    const hopeless = last.length === limits.mostFailures && last.every((each) => 'error' in each);
    if (batch.outcomes.length >= batch.items.length) finish(batch, null);
    else if (hopeless) {
      kill();
      finish(batch, failed(`Not run, because the program failed ${limits.mostFailures} times in a row.`));
    } else if (worker === null) send(batch);
    else watchItem();
  }

  /** Answers a batch, items without an outcome with `rest`, and begins the next. */
  function finish(batch: Batch, rest: Outcome | null): void {
    clearTimeout(watchdog);
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
        waiting.push({ source, items, outcomes: [], finish: finishBatch });
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
