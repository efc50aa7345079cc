/** The tokens that were added to a model's vocabulary. They are found in a text before it is cut. */
import type { Options } from './options.ts';
import type { Normalizer, Vocabulary } from './types.ts';

interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** The content as it is found in a normalized text, and as it is decoded. */
  readonly written: string;
  readonly isSingleWord: boolean;
  readonly stripsLeft: boolean;
  readonly stripsRight: boolean;
  readonly isNormalized: boolean;
  readonly isSpecial: boolean;
}

/** A part of a text, which is an added token or not. */
export interface Section {
  readonly from: number;
  readonly to: number;
  readonly token: AddedToken | null;
}

const ENDS_IN_WORD = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]$/u;
const BEGINS_WITH_WORD = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]/u;
const SPACE = /\p{White_Space}/u;

interface Branch {
  readonly branches: Map<string, Branch>;
  token?: AddedToken;
}

/** Finds tokens in a text: the leftmost one, of several there the longest. */
export class TokenFinder {
  readonly #root: Branch = { branches: new Map() };

  add(content: string, token: AddedToken): void {
    let branch = this.#root;
    for (const unit of content.split('')) {
      const next = branch.branches.get(unit) ?? { branches: new Map() };
      branch.branches.set(unit, next);
      branch = next;
    }
    if (content !== '') branch.token = token;
  }

  /** The token that begins at a place, and its end. */
  #tokenAt(text: string, from: number): readonly [AddedToken, number] | null {
    let found: readonly [AddedToken, number] | null = null;
    let branch: Branch | undefined = this.#root;
    for (let to = from; to <= text.length && branch !== undefined; to++) {
      if (branch.token !== undefined) found = [branch.token, to];
      branch = branch.branches.get(text.charAt(to));
    }
    return found;
  }

  /** The sections of a text, in order. */
  sections(text: string): readonly Section[] {
    const sections: Section[] = [];
    let covered = 0;
    for (let at = 0; at < text.length;) {
      const [token, end] = this.#tokenAt(text, at) ?? [null, at + 1];
      const begin = at;
      at = end;
      if (token === null || (token.isSingleWord && !standsAlone(text, begin, end))) continue;
      let from = begin;
      let to = end;
      if (token.stripsRight) while (to < text.length && SPACE.test(text.charAt(to))) to++;
      // A token that an earlier one took with it is none, but only if it takes the space on its left.
      if (token.stripsLeft) {
        while (from > 0 && SPACE.test(text.charAt(from - 1))) from--;
        from = Math.max(from, covered);
      }
      if (covered < from) sections.push({ from: covered, to: from, token: null });
      if (from < to) sections.push({ from, to, token });
      covered = to;
    }
    if (covered < text.length) sections.push({ from: covered, to: text.length, token: null });
    return sections;
  }
}

/** True if no letter, mark, digit or underscore is next to the stretch. */
function standsAlone(text: string, from: number, to: number): boolean {
  return (
    !ENDS_IN_WORD.test(text.slice(Math.max(0, from - 2), from)) &&
    !BEGINS_WITH_WORD.test(text.slice(to, to + 2))
  );
}

/** The added tokens of a file. Those of the vocabulary keep their id there, and the others are counted on behind it. */
export class AddedTokens {
  readonly byId = new Map<number, AddedToken>();
  readonly #ids = new Map<string, number>();
  /** The id of the next token that is not in the vocabulary. */
  #next: number;
  readonly #specials = new Set<string>();
  /** Those that are found in a text as it is, and those that are found once it is normalized. */
  readonly plain = new TokenFinder();
  readonly normalized = new TokenFinder();

  constructor(list: readonly Options[], vocabulary: Vocabulary, size: number, normalizer: Normalizer) {
    this.#next = size;
    for (const options of list) this.#take(options, vocabulary, normalizer);
    const all = [...this.byId.values()];
    for (const token of [
      ...all.filter(({ isSpecial }) => isSpecial),
      ...all.filter(({ isSpecial }) => !isSpecial),
    ])
      if (token.isNormalized) this.normalized.add(token.written, token);
      else this.plain.add(token.content, token);
  }

  #take(options: Options, vocabulary: Vocabulary, normalizer: Normalizer): void {
    const content = options.text('content');
    if (content === '') return;
    const isSpecial = options.flag('special', false);
    const id = this.#ids.get(content) ?? vocabulary.get(content) ?? this.#next;
    this.#next = Math.max(this.#next, id + 1);
    this.#ids.set(content, id);
    const isNormalized = options.flag('normalized', !isSpecial);
    const written = isNormalized ? normalizer(content) : content;
    if (written === '') options.refuse('content', 'nothing is left of it when it is normalized');
    this.byId.set(id, {
      id,
      content,
      written,
      isSpecial,
      isSingleWord: options.flag('single_word', false),
      stripsLeft: options.flag('lstrip', false),
      stripsRight: options.flag('rstrip', false),
      isNormalized,
    });
    if (isSpecial) this.#specials.add(content);
  }

  idOf(content: string): number | undefined {
    return this.#ids.get(content);
  }

  isSpecial(content: string): boolean {
    return this.#specials.has(content);
  }
}
