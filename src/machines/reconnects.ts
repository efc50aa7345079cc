/** What is under way when a server goes away is not answered by the one that comes back: it is begun again as soon as that is there. */
import type { NatsConnection } from '@nats-io/nats-core';

const MOST_TIMES = 10;
const BROKEN = Symbol('broken');

export class Reconnects {
  readonly #listeners = new Set<() => void>();

  constructor(connection: NatsConnection) {
    void this.#watch(connection);
  }

  async #watch(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status())
      if (type === 'reconnect') for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` each time that the connection is there again; returns what ends that. */
  on(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** `work`, and again from the start where the connection broke meanwhile: it must do no harm twice. */
  async through<T>(work: () => Promise<T>): Promise<T> {
    for (let times = 1; ; times++) {
      const done = await this.#unlessBroken(work());
      if (done !== BROKEN) return done;
      if (times === MOST_TIMES) throw new Error('The connection to the server broke again and again.');
    }
  }

  #unlessBroken<T>(work: Promise<T>): Promise<T | typeof BROKEN> {
    return new Promise((resolve, reject) => {
      const off = this.on(() => {
        off();
        resolve(BROKEN);
      });
      work.then(resolve, reject).finally(off);
    });
  }
}
