/**
 * Repeats work that was interrupted when a server went away: the returning server does not answer it, so the work begins again as soon
 * as the connection is back.
 */
import type { NatsConnection } from '@nats-io/nats-core';
import { isSilence, watchServer } from './connection.ts';
import { TIDY_WITHIN } from './patience.ts';

const MOST_TIMES = 10;
const BROKEN = Symbol('broken');

export class Reconnects {
  readonly #listeners = new Set<() => void>();
  readonly #losses = new Set<() => void>();
  #there = true;

  constructor(connection: NatsConnection) {
    void watchServer(connection, (isThere) => {
      this.#there = isThere;
      for (const listener of isThere ? this.#listeners : this.#losses) listener();
    });
  }

  /** Calls `listener` each time that the connection is there again. The function that is returned ends that. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Runs `work`, and again from the start if the connection broke meanwhile or the server was silent. Running it twice must do no harm.
   * An earlier run of it may still be going on then; its signal says that nobody waits for it any more.
   */
  async through<T>(work: (abandoned: AbortSignal) => Promise<T>): Promise<T> {
    for (let times = 1; ; times++) {
      const abandon = new AbortController();
      const done = await this.#unlessBroken(work(abandon.signal));
      if (done !== BROKEN) return done;
      abandon.abort(new Error('The connection to the server broke meanwhile.'));
      if (times === MOST_TIMES) throw new Error('The connection to the server broke again and again.');
    }
  }

  #unlessBroken<T>(work: Promise<T>): Promise<T | typeof BROKEN> {
    return new Promise((resolve, reject) => {
      const off = this.on(() => {
        off();
        resolve(BROKEN);
      });
      work
        .then(resolve, (error: unknown) => (isSilence(error) ? resolve(BROKEN) : reject(error as Error)))
        .finally(off);
    });
  }

  /** Waits for tidying up at the end while the server is there. Nothing depends on it. */
  async tidy(work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resolve) => {
      let limit: ReturnType<typeof setTimeout> | null = null;
      const lost = (): void => void (limit ??= setTimeout(resolve, TIDY_WITHIN));
      this.#losses.add(lost);
      if (!this.#there) lost();
      work
        .catch(() => undefined)
        .finally(() => {
          this.#losses.delete(lost);
          if (limit !== null) clearTimeout(limit);
          resolve();
        });
    });
  }
}
