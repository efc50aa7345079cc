/** The waits in a piece of work, which all end at once when the work ends. */
export class Wakes {
  readonly #waiting = new Set<() => void>();
  #over = false;

  /** Ends every wait, including later ones. */
  end(): void {
    this.#over = true;
    for (const wake of this.#waiting) wake();
  }

  /** Calls `wake` at the end. The function that is returned cancels that. */
  on(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => void this.#waiting.delete(wake);
  }

  /** Resolves after these milliseconds, or at the end. */
  async pause(milliseconds: number): Promise<void> {
    if (this.#over) return;
    await new Promise<void>((resolve) => {
      const over = (): void => {
        clearTimeout(timer);
        off();
        resolve();
      };
      const timer = setTimeout(over, milliseconds);
      const off = this.on(over);
    });
  }
}
