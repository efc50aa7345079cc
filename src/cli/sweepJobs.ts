/** Work that is done side by side, a few at a time, in the order of a list. */

/** Resolves when all is done; once one fails nothing more begins, and it rejects with that when those under way have ended. */
export async function sideBySide<Item>(
  items: Iterable<Item>,
  jobs: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      const next = left.next();
      if (next.done === true) return;
      await work(next.value).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  if (failures.length > 0) throw failures[0];
}
