/** The index of `rollouts.jsonl`, a file that grows: it knows where the answers of each step are, and reads nothing twice. */
import type { OpenFile } from '@rl-playground/engine/parts';

const PIECE_BYTES = 4 * 2 ** 20;
/** The longest line, an answer of some 200,000 tokens. A file whose line does not end does not fill the memory. */
const LONGEST_LINE = 16 * 2 ** 20;
const LINE_START = /^\{"step":(\d+)[,}]/;

/** The bytes of lines, from `begin` to before `end`. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The whole lines of a file from a byte on, and of which step each is. @throws Error where a line names no step, or does not end. */
export async function* lineSpans(file: OpenFile, from = 0): AsyncGenerator<Span & { readonly step: number }> {
  const decoder = new TextDecoder();
  let line = from;
  let rest = new Uint8Array();
  for (let at = from; at < file.size; at += PIECE_BYTES) {
    const piece = await file.read(at, Math.min(at + PIECE_BYTES, file.size));
    const whole = new Uint8Array(rest.length + piece.length);
    whole.set(rest);
    whole.set(piece, rest.length);
    let begin = 0;
    for (let end = whole.indexOf(10, rest.length); end >= 0; end = whole.indexOf(10, begin)) {
      const step = LINE_START.exec(decoder.decode(whole.subarray(begin, Math.min(end, begin + 40))))?.[1];
      if (step === undefined) throw new Error(`the line at byte ${line} does not begin with its step`);
      const length = end + 1 - begin;
      yield { step: Number(step), begin: line, end: line + length };
      line += length;
      begin = end + 1;
    }
    rest = whole.slice(begin);
    if (rest.length > LONGEST_LINE)
      throw new Error(`the line at byte ${line} has more than ${LONGEST_LINE / 2 ** 20} MB`);
  }
}

export class RolloutIndex {
  readonly #spans = new Map<number, Span>();
  /** So many bytes of the file are indexed. */
  #read = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** The steps in the file, in its order. @throws Error where a line names no step, or the file can't be read. */
  steps(file: OpenFile): Promise<readonly number[]> {
    const turn = this.#turn.then(async () => {
      if (file.size < this.#read) this.#forget(({ end }) => end > file.size);
      for await (const { step, begin, end } of lineSpans(file, this.#read)) {
        this.#spans.set(step, { begin: this.#spans.get(step)?.begin ?? begin, end });
        this.#read = end;
      }
      return [...this.#spans.keys()];
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** The lines of a step; null where the file has none. @throws what `steps` throws. */
  async lines(file: OpenFile, step: number): Promise<string | null> {
    await this.steps(file);
    const span = this.#spans.get(step);
    return span ? new TextDecoder().decode(await file.read(span.begin, span.end)) : null;
  }

  /** Steps that the run has gone back behind. */
  forgetAfter(step: number): void {
    this.#turn = this.#turn.then(() => this.#forget((_, each) => each > step));
  }

  #forget(gone: (span: Span, step: number) => boolean): void {
    for (const [step, span] of this.#spans) if (gone(span, step)) this.#spans.delete(step);
    this.#read = Math.max(0, ...[...this.#spans.values()].map(({ end }) => end));
  }
}
