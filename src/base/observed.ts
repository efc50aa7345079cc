/** A value that others look at, and hear of when it changes. */
export class Observed<Value extends object> {
  #now: Value;
  readonly #listeners = new Set<() => void>();

  constructor(now: Value) {
    this.#now = now;
  }

  readonly snapshot = (): Value => this.#now;

  /** `listener` is called after every change, until the function that is returned is called. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  update(change: Partial<Value>): void {
    this.#now = { ...this.#now, ...change };
    for (const listener of this.#listeners) listener();
  }
}
