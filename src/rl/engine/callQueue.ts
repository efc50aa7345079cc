/** Calls that must not meet on the device: each begins when those before it have ended, well or badly. */
export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();
  /** Of the calls that have not ended, in their order. */
  readonly #names: string[] = [];
  /** Of each call under way: what its caller hears at the closing. */
  readonly #ends = new Set<() => void>();
  #closed = false;

  /** Runs `work` in its turn. Throws where the queue is closed by then, or before the work has ended. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.assertOpen(name);
    this.#names.push(name);
    const turn = this.#last.then(() => {
      this.assertOpen(name);
      return work();
    });
    const ended = (): void => void this.#names.shift();
    this.#last = turn.then(ended, ended);
    return this.beside(name, turn);
  }

  /** Work that needs no turn. Rejects at once where the queue is closed meanwhile: whoever was at work may never answer. */
  beside<T>(name: string, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = (): void =>
        reject(new Error(`The engine was disposed of before ${name} had ended; await it first.`));
      this.#ends.add(end);
      work.then(resolve, reject).finally(() => this.#ends.delete(end));
    });
  }

  assertOpen(name: string): void {
    if (this.#closed)
      throw new Error(`${name} was called, but the engine is disposed of; open another with createEngine.`);
  }

  /** For what can't wait for its turn. */
  assertIdle(name: string): void {
    this.assertOpen(name);
    const [under] = this.#names;
    if (under !== undefined)
      throw new Error(`${name} was called while ${under} was at work; await that first.`);
  }

  /** No call is taken from now on, and those under way reject. */
  close(): void {
    this.#closed = true;
    for (const end of this.#ends) end();
  }
}
