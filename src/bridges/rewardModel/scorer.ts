/** A reward model in a worker of its own, with a watchdog outside. Answers go in, scores or reasons come out. */
import { DEADLINE, type Deadline, realTimers, SilenceWatch, type Timers } from '@rl-playground/base/deadline';
import { messageOf } from '@rl-playground/base/errors';
import type { ModelFiles } from '@rl-playground/engine/parts';
import type {
  AskedText,
  RewardModel,
  RewardPipeline,
  RewardQuestion,
  ScoreOutcome,
} from '@rl-playground/run/rewardModel';
import { contentsOf } from './files.ts';
import type { OnnxDevice } from '../transformersJs/index.ts';
import type { RewardMessage, RewardRequest } from './protocol.ts';

/** Answers that the model is asked about at once. */
const BATCH = 16;
/** Failures in a row after which the rest of a step's answers is given up. */
export const MOST_FAILURES = 16;
/** A killed worker costs so long that it counts as so many failures. */
const FAILURES_A_KILL = 4;

/** The longest silence of the worker while the model is loaded, and for a batch. */
const FOR_BATCH: Deadline = { first: DEADLINE.first, least: 60_000, rounds: 0 };
/** The longest silence for an answer that is tried by itself, after a batch with it was given up. */
const ALONE: Deadline = { ...FOR_BATCH, least: 180_000 };

export interface ScorerOptions {
  readonly device: OnnxDevice;
  /** The size of the model's files (`bytesOf`), which a plan counts. */
  readonly bytes: number;
  /** The address of the folder with onnxruntime's files. */
  readonly runtime: string;
  readonly timers?: Timers;
}

/** The worker said nothing for too long, and was killed. */
class Silent extends Error {}

interface Loaded {
  readonly worker: Worker;
  readonly pipeline: RewardPipeline;
  readonly labels: readonly string[];
}

const startWorker = (): Worker =>
  new Worker(new URL('./rewardWorker.ts', import.meta.url), { type: 'module', name: 'reward model' });

const failed = (error: string): ScoreOutcome => ({ error });

export class RewardScorer implements RewardModel {
  readonly name: string;
  readonly bytes: number;
  readonly #files: ModelFiles;
  readonly #options: ScorerOptions;
  #loaded: Loaded | null = null;
  #id = 0;
  /** Ends with the request before: the worker is asked one thing at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(name: string, files: ModelFiles, options: ScorerOptions) {
    this.name = name;
    this.bytes = options.bytes;
    this.#files = files;
    this.#options = options;
  }

  prepare(question: RewardQuestion): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const { labels } = await this.#ready(question.pipeline, FOR_BATCH);
      return labels;
    });
  }

  score(items: readonly AskedText[], question: RewardQuestion): Promise<ScoreOutcome[]> {
    return this.#inTurn(() => this.#scoreAll(items, question));
  }

  dispose(): void {
    this.#loaded?.worker.terminate();
    this.#loaded = null;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #scoreAll(items: readonly AskedText[], question: RewardQuestion): Promise<ScoreOutcome[]> {
    const outcomes: ScoreOutcome[] = [];
    let failures = 0;
    /** Answers that are asked about one by one, because a batch with them failed. */
    let alone = 0;
    const record = (found: readonly ScoreOutcome[], weight = 1): void => {
      outcomes.push(...found);
      for (const outcome of found) failures = 'error' in outcome ? failures + weight : 0;
    };
    while (outcomes.length < items.length) {
      if (failures >= MOST_FAILURES) {
        const inARow = outcomes.length - 1 - outcomes.findLastIndex((outcome) => 'score' in outcome);
        const rest = failed(`Not scored, because the reward model failed ${inARow} times in a row.`);
        return [...outcomes, ...items.slice(outcomes.length).map(() => rest)];
      }
      const batch = items.slice(outcomes.length, outcomes.length + (alone > 0 ? 1 : BATCH));
      try {
        record(await this.#ask(batch, question, alone > 0 ? ALONE : FOR_BATCH));
        alone--;
      } catch (error) {
        // Behind a failure transformers.js answers nothing more.
        this.dispose();
        // One answer costs the others nothing, and a machine that was busy is no failure of the model: each is tried by itself, for longer.
        if (alone <= 0 && (batch.length > 1 || error instanceof Silent)) alone = batch.length;
        else {
          record([failed(messageOf(error))], error instanceof Silent ? FAILURES_A_KILL : 1);
          alone--;
        }
      }
    }
    return outcomes;
  }

  /** The outcomes of one batch. @throws Silent, or Error where the model can't be loaded or its worker broke */
  async #ask(
    items: readonly AskedText[],
    { pipeline, label }: RewardQuestion,
    deadline: Deadline,
  ): Promise<readonly ScoreOutcome[]> {
    const { worker } = await this.#ready(pipeline, deadline);
    const id = ++this.#id;
    const { least } = deadline;
    const answer = await this.#heard(
      worker,
      { kind: 'texts', id, items, label },
      { ...deadline, first: least },
      `The reward model was killed after ${least / 1000} s without an answer. It must be done by then.`,
    );
    if (answer.kind === 'scores' && answer.outcomes.length === items.length) return answer.outcomes;
    throw new Error(
      `The reward model failed: ${answer.kind === 'failed' ? answer.error : 'it gave no scores'}`,
    );
  }

  /** The worker with the model in it, which is loaded where it is not. */
  async #ready(pipeline: RewardPipeline, deadline: Deadline): Promise<Loaded> {
    if (this.#loaded?.pipeline === pipeline) return this.#loaded;
    this.dispose();
    const { device, runtime } = this.#options;
    const files = await contentsOf(this.#files, device);
    const worker = startWorker();
    const answer = await this.#heard(
      worker,
      { kind: 'open', pipeline, files, device, runtime },
      deadline,
      `The reward model did not load within ${deadline.first / 1000} s.`,
      [...files.values()].map(({ buffer }) => buffer as ArrayBuffer),
    );
    if (answer.kind !== 'ready') {
      worker.terminate();
      throw new Error(
        `${this.name} can’t be used for ${pipeline}: ${answer.kind === 'failed' ? answer.error : 'it gave no answer'}`,
      );
    }
    this.#loaded = { worker, pipeline, labels: answer.labels };
    return this.#loaded;
  }

  /** Sends a request and waits for its answer. A worker that is silent for too long, or breaks, is killed. */
  #heard(
    worker: Worker,
    request: RewardRequest,
    deadline: Deadline,
    late: string,
    transfer: Transferable[] = [],
  ): Promise<RewardMessage> {
    const listening = new AbortController();
    const { signal } = listening;
    return new Promise<RewardMessage>((resolve, reject) => {
      const lose = (error: Error): void => {
        worker.terminate();
        if (this.#loaded?.worker === worker) this.#loaded = null;
        reject(error);
      };
      const watch = new SilenceWatch(
        deadline,
        () => lose(new Silent(late)),
        this.#options.timers ?? realTimers,
      );
      signal.addEventListener('abort', () => watch.end());
      worker.addEventListener('message', ({ data }: MessageEvent<RewardMessage>) => resolve(data), {
        signal,
      });
      worker.addEventListener(
        'error',
        (event) => {
          event.preventDefault();
          lose(new Error(`The reward model's worker broke (${event.message || 'no reason given'}).`));
        },
        { signal },
      );
      watch.begin();
      worker.postMessage(request, transfer);
    }).finally(() => listening.abort());
  }
}
