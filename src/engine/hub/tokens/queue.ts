/** A heap of numbers, of which the least is taken first. */
export class Queue {
  readonly #heap: number[] = [];

  add(value: number): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(value);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((heap[above] ?? 0) <= value) break;
      heap[at] = heap[above] ?? 0;
      at = above;
    }
    heap[at] = value;
  }

  /** Takes the least; null if the queue is empty. */
  take(): number | null {
    const heap = this.#heap;
    const [least] = heap;
    const last = heap.pop();
    if (least === undefined || last === undefined) return null;
    const size = heap.length;
    if (size === 0) return least;
    let at = 0;
    for (let below = 1; below < size; below = 2 * at + 1) {
      const other = below + 1;
      const less = other < size && (heap[other] ?? 0) < (heap[below] ?? 0) ? other : below;
      if ((heap[less] ?? 0) >= last) break;
      heap[at] = heap[less] ?? 0;
      at = less;
    }
    heap[at] = last;
    return least;
  }
}
