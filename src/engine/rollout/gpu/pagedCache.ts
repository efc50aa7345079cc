/**
 * The pages of the cache that belong to a batch's prompts and rows. A row gets pages as its tokens come, so that rows which end early
 * leave room to others; in layers with a window it gives back those that the window has left. A row that gets none waits and keeps what it
 * has. The row that entered first never waits, because as many pages as it may still need are kept free for it. So a batch always comes to
 * its end, and nothing is computed twice.
 */
import { pagesOf, PAGE_POSITIONS } from '../../kernels/decode/index.ts';
import type { Row } from '../decoding/continuousBatching.ts';
import { firstPageSeen, pagesKept, type CacheKind } from './cacheKinds.ts';
import { tableEntries, type CacheShape } from './cacheShape.ts';

/** Pages for neighbouring entries of a table. */
interface Run {
  /** The entry of the first position, and how many entries from there have given back their pages. */
  readonly entry: number;
  left: number;
  readonly pages: number[];
}

/** The pages of layers of one kind, and the table that says whose they are. */
class KindOfPages {
  readonly kind: CacheKind;
  /** The free pages that rows must leave to a prefill. */
  readonly passing: number;
  readonly #table: Uint32Array<ArrayBuffer>;
  readonly #free: number[];
  #changed = false;

  constructor(kind: CacheKind, pages: number, passing: number, entries: number) {
    this.kind = kind;
    this.passing = passing;
    this.#table = new Uint32Array(entries);
    this.#free = Array.from({ length: pages }, (_, i) => pages - 1 - i);
  }

  get spare(): number {
    return this.#free.length - this.passing;
  }

  news(): Uint32Array<ArrayBuffer> | null {
    const changed = this.#changed;
    this.#changed = false;
    return changed ? this.#table : null;
  }

  /** Takes pages for a run until it reaches `end` entries, as long as `may` allows another one. */
  take(run: Run, end: number, may: () => boolean = () => true): void {
    for (let next = run.left + run.pages.length; next < end && may(); next++) {
      const page = this.#free.pop();
      if (page === undefined) throw new Error('The cache of keys and values has no page left.');
      this.#table[run.entry + next] = page;
      run.pages.push(page);
      this.#changed = true;
    }
  }

  /** Gives back the pages of a run's positions that the query at `end` − 1 does not see, nor any later one. */
  pass(run: Run, end: number): void {
    const passed = Math.min(firstPageSeen(this.kind, end) - run.left, run.pages.length);
    if (passed <= 0) return;
    this.#free.push(...run.pages.splice(0, passed));
    run.left += passed;
  }

  giveBack({ pages }: Run): void {
    this.#free.push(...pages);
  }
}

/** The pages of a row, of each kind. */
interface Held {
  readonly runs: readonly Run[];
  /** The number of its own tokens that precede the next one's query. */
  tokens: number;
}

interface HeldPrompt {
  readonly runs: readonly Run[];
  readonly length: number;
  /** The rows that hold pages, how many have still to enter, and how many have not ended. */
  readonly rows: Set<Held>;
  entering: number;
  ending: number;
}

export class PagedCache {
  readonly #shape: CacheShape;
  readonly #kinds: readonly KindOfPages[];
  /** The rows, in order of entry. */
  readonly #rows = new Map<Row, Held>();
  /** The prompt in each place. */
  readonly #prompts = new Map<number, HeldPrompt>();

  /** The cache must have pages for a prompt and a row of the longest. */
  constructor(shape: CacheShape) {
    const { kinds, pages, passing } = shape;
    this.#shape = shape;
    this.#kinds = kinds.map(
      (kind, i) => new KindOfPages(kind, pages[i] ?? 0, passing[i] ?? 0, tableEntries(shape)),
    );
  }

  /** The first table entry of the pages of the prompt in a place, the same in the table of each kind. */
  promptEntry(place: number): number {
    return place * this.#shape.promptPages;
  }

  ownEntry(slot: number): number {
    return this.#shape.places * this.#shape.promptPages + slot * this.#shape.ownPages;
  }

  /** The table of each kind if it has changed since the last call, else null. */
  news(): (Uint32Array<ArrayBuffer> | null)[] {
    return this.#kinds.map((pages) => pages.news());
  }

  /** The pages of a kind that can be taken without those that are kept for the row that entered first. */
  #spare(pages: KindOfPages, kind: number): number {
    const [first] = this.#rows.values();
    const held = first?.runs[kind]?.pages.length ?? 0;
    return pages.spare - (pagesKept(pages.kind, this.#shape.ownPages) - held);
  }

  /** Does something with each kind and what a prompt or row holds of it. */
  #each(runs: readonly Run[], act: (pages: KindOfPages, run: Run, kind: number) => void): void {
    this.#kinds.forEach((pages, kind) => act(pages, runs[kind] as Run, kind));
  }

  #newRuns(entry: number): Run[] {
    return this.#kinds.map(() => ({ entry, left: 0, pages: [] }));
  }

  /** Takes pages for the prompt of a row that enters, if it has none yet, and the row's own first page. Returns false if they are not available. */
  enter(row: Row): boolean {
    const { request, place, slot } = row;
    const { length } = request.promptIds;
    const known = this.#prompts.get(place);
    const own = Math.min(1, this.#shape.ownPages);
    // Pages are kept for the row that enters first.
    const ofRow = this.#rows.size > 0 ? own : 0;
    const ofPrompt = this.#kinds.map(({ kind }) => (known ? 0 : pagesKept(kind, pagesOf(length))));
    const free = this.#kinds.every(
      (pages, kind) => this.#spare(pages, kind) >= (ofPrompt[kind] as number) + ofRow,
    );
    if (!free) return false;
    const prompt = known ?? {
      runs: this.#newRuns(this.promptEntry(place)),
      length,
      rows: new Set(),
      entering: request.samples,
      ending: request.samples,
    };
    this.#prompts.set(place, prompt);
    this.#each(prompt.runs, (pages, run, kind) => pages.take(run, ofPrompt[kind] as number));
    const held = { runs: this.#newRuns(this.ownEntry(slot)), tokens: 1 };
    this.#each(held.runs, (pages, run) => pages.take(run, own));
    this.#rows.set(row, held);
    prompt.rows.add(held);
    prompt.entering--;
    return true;
  }

  /**
   * Gives the prompt in a place pages for its keys up to `end` − 1, and takes back those that its query at `from`, and later ones, do not see.
   */
  prefill(place: number, from: number, end: number): void {
    const prompt = this.#prompts.get(place);
    if (!prompt) throw new Error(`There is no prompt in place ${place}.`);
    this.#each(prompt.runs, (pages, run) => {
      pages.pass(run, from + 1);
      pages.take(run, pagesOf(end));
    });
  }

  /**
   * Gives a row that has `tokens` tokens pages for so many keys of its own, as far as they are available, and returns the number of keys that
   * it has room for. Takes back pages that neither its next queries see nor those of other rows of its prompt, which must have been prefilled.
   */
  extend(row: Row, tokens: number, keys: number): number {
    const held = this.#rows.get(row);
    const prompt = this.#prompts.get(row.place);
    if (!held || !prompt) throw new Error('A row asks for pages that has not entered.');
    held.tokens = tokens;
    if (prompt.entering === 0) {
      const fewest = Math.min(...[...prompt.rows].map((other) => other.tokens));
      this.#each(prompt.runs, (pages, run) => pages.pass(run, prompt.length + fewest));
    }
    const [first] = this.#rows.keys();
    let room = Infinity;
    this.#each(held.runs, (pages, run, kind) => {
      pages.pass(run, tokens);
      pages.take(run, pagesOf(keys), () => row === first || this.#spare(pages, kind) > 0);
      room = Math.min(room, (run.left + run.pages.length) * PAGE_POSITIONS);
    });
    return room;
  }

  /** Takes back the pages of a row that has ended, and with the last row of a group those of its prompt. */
  leave(row: Row): void {
    const held = this.#rows.get(row);
    const prompt = this.#prompts.get(row.place);
    if (!held || !prompt) return;
    this.#each(held.runs, (pages, run) => pages.giveBack(run));
    this.#rows.delete(row);
    prompt.rows.delete(held);
    prompt.ending--;
    if (prompt.ending > 0) return;
    this.#each(prompt.runs, (pages, run) => pages.giveBack(run));
    this.#prompts.delete(row.place);
  }
}
