/** Work on a run's weights and log that has to wait until they are of one step. */
export class BetweenSteps {
  readonly #waiting: (() => Promise<void>)[] = [];

  /** Resolves or rejects as `work` does, once it had its turn. */
  wait<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => work().then(resolve, reject));
    });
  }

  /** Gives all that waits its turn. */
  async serve(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next();
  }
}
