/** Wakes one waiter when there is news; news that comes while nobody waits is kept until somebody does. */
export class Signal {
  #given = false;
  #wake: (() => void) | null = null;

  give(): void {
    this.#given = true;
    this.#wake?.();
  }

  /** Resolves at the next news, at once if there was some since the last wait. */
  async wait(): Promise<void> {
    if (!this.#given) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#given = false;
    this.#wake = null;
  }
}
