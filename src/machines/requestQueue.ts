/** A machine's side of the queue of a run's requests. */
import type { Consumer, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { GENERATORS } from './names.ts';
import { QUEUE_WAIT } from './patience.ts';
import type { Reconnects } from './reconnects.ts';
import type { Wakes } from './wakes.ts';

export class RequestQueue {
  readonly #client: JetStreamClient;
  readonly #stream: string;
  readonly #reconnects: Reconnects;
  readonly #wakes: Wakes;
  #consumer: Consumer | null = null;

  /** `wakes` end the wait for a request. */
  constructor(client: JetStreamClient, stream: string, reconnects: Reconnects, wakes: Wakes) {
    this.#client = client;
    this.#stream = stream;
    this.#reconnects = reconnects;
    this.#wakes = wakes;
  }

  /** The next message; null if none came in a while, the work has ended, or the connection broke. @throws the server's error. */
  async next(): Promise<JsMsg | null> {
    try {
      const consumer = (this.#consumer ??= await this.#client.consumers.get(this.#stream, GENERATORS));
      return await new Promise((resolve, reject) => {
        let waits = true;
        const none = (): void => {
          waits = false;
          resolve(null);
        };
        const woken = this.#wakes.on(none);
        // A server that comes back does not know that this machine waits.
        const off = this.#reconnects.on(none);
        consumer
          .next({ expires: QUEUE_WAIT })
          .then((message) => {
            // A message that comes when nobody waits any more would otherwise be kept from other machines until the server misses its acknowledgement.
            if (waits) resolve(message);
            else message?.nak();
          }, reject)
          .finally(() => {
            off();
            woken();
          });
      });
    } catch (error) {
      this.#consumer = null;
      throw error;
    }
  }
}
