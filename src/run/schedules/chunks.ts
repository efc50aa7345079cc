/** Keeps generators busy: each has a chunk of groups under way, and the next one is asked for when it is done. */
import { isBroken, type Place, type Prompt, type RolloutGroup } from '../rollouts/rollout.ts';
import { requestOf, type ProblemQueue } from './problems.ts';
import type { SourceParts } from './types.ts';

interface Chunk {
  /** Places that have no answer yet, by their order in the chunk. */
  readonly open: Map<number, Place>;
  readonly ended: Promise<void>;
}

/** The listener gets the answers. */
export interface ChunkListener {
  receive(group: RolloutGroup): void;
  /** A generator is free again, or `error` ended all work: asking again is up to the listener. */
  ended(error?: unknown): void;
}

export class Chunks {
  readonly #parts: SourceParts;
  readonly #queue: ProblemQueue;
  readonly #listener: ChunkListener;
  readonly #underWay = new Map<number, Chunk>();
  /** Generators whose last chunk failed altogether. */
  readonly #failing = new Set<number>();
  #work = new AbortController();

  constructor(parts: SourceParts, queue: ProblemQueue, listener: ChunkListener) {
    this.#parts = parts;
    this.#queue = queue;
    this.#listener = listener;
  }

  /** Places that were taken and have no answer yet. */
  get open(): Place[] {
    return [...this.#underWay.values()].flatMap(({ open }) => [...open.values()]);
  }

  /** Asks idle generators for at most `room` groups in all. One that fails has to wait while others work. */
  fill(room: number): void {
    const { problems, engine } = this.#parts;
    const { places: size } = engine;
    // As under the synchronous schedule: each generator's part of a step, so decoding is batched as well. Their number may change.
    const most = Math.ceil(problems / size);
    const free = Array.from({ length: size }, (_, generator) => generator).filter(
      (generator) => !this.#underWay.has(generator),
    );
    const sound = free.filter((generator) => !this.#failing.has(generator));
    const ready = this.#underWay.size === 0 && sound.length === 0 ? free : sound;
    let left = room;
    for (const [i, generator] of ready.entries()) {
      const count = Math.min(most, Math.ceil(left / (ready.length - i)));
      if (count <= 0) return;
      left -= count;
      this.#start(generator, this.#queue.take(count));
    }
  }

  /** Generators that failed are asked once more. */
  forgive(): void {
    this.#failing.clear();
  }

  /** Ends all work; places without an answer go back to the queue. Resolves once no generator works on it. */
  async stop(): Promise<void> {
    this.#abort();
    await Promise.all([...this.#underWay.values()].map(({ ended }) => ended));
  }

  #abort(): void {
    this.#work.abort(new Error('Sampling was stopped.'));
    this.#work = new AbortController();
  }

  #start(generator: number, places: readonly Place[]): void {
    const open = new Map(places.entries());
    // One of its own: many chunks would be many listeners.
    const signal = AbortSignal.any([this.#work.signal]);
    const ended = Promise.resolve().then(() => this.#run(generator, open, signal));
    this.#underWay.set(generator, { open, ended });
  }

  async #run(generator: number, open: Map<number, Place>, signal: AbortSignal): Promise<void> {
    const { engine, promptAt, sampling } = this.#parts;
    let error: unknown;
    try {
      const prompts: Prompt[] = [...open.values()].map(promptAt);
      for (const entry of prompts.entries()) open.set(...entry);
      const groups = await engine.sample(
        prompts.map((prompt) => requestOf(this.#parts, prompt)),
        sampling,
        {
          generator,
          signal,
          onGroup: (i, result) => {
            const prompt = prompts[i];
            if (prompt && open.delete(i)) this.#listener.receive({ prompt, result, rollouts: [] });
          },
        },
      );
      if (groups.every(isBroken)) this.#failing.add(generator);
    } catch (reason) {
      // A stop is no error of the generator.
      if (!signal.aborted) {
        error = reason ?? new Error('A generator failed without saying why.');
        this.#abort();
      }
    } finally {
      this.#underWay.delete(generator);
      this.#queue.putBack([...open.values()]);
      this.#listener.ended(error);
    }
  }
}
