/**
 * Texts to ids and back, by the rules of `tokenizer.json`, with the results of the library `tokenizers` 0.23. An option that is not built
 * is refused by its name. `truncation`, `padding` and `post_processor` change nothing here: texts are encoded whole and without special
 * tokens around them.
 */
import { AddedTokens } from './addedTokens.ts';
import { decoderOf, type Decoder } from './decoders.ts';
import { entriesOf, modelOf } from './models.ts';
import { normalizerOf } from './normalizers.ts';
import { Options } from './options.ts';
import { preTokenizerOf, type PreTokenizer } from './preTokenizers.ts';
import type { Model, Normalizer, Piece, Vocabulary } from './types.ts';

/** The part of a file with this name; null if there is none. */
function partOf<T>(file: Options, name: string, build: (options: Options) => T): T | null {
  const part = file.get(name);
  return part == null ? null : build(new Options(part, name));
}

export class Pipeline {
  readonly #normalize: Normalizer;
  readonly #preTokenize: PreTokenizer;
  readonly #model: Model;
  readonly #decode: Decoder | null;
  readonly #vocabulary: Vocabulary;
  readonly #added: AddedTokens;
  /** Every token by its id. */
  readonly tokens: ReadonlyMap<number, string>;
  /** The decoder as the file has it; null if it has none. */
  readonly decoder: Options | null;

  /** @throws OptionError */
  constructor(tokenizerJson: object) {
    const file = new Options(tokenizerJson, 'tokenizer.json');
    const model = new Options(file.get('model'), 'model');
    this.#normalize = partOf(file, 'normalizer', normalizerOf) ?? ((text) => text);
    this.#preTokenize = partOf(file, 'pre_tokenizer', preTokenizerOf) ?? ((pieces) => pieces);
    this.decoder = partOf(file, 'decoder', (options) => options);
    this.#decode = this.decoder && decoderOf(this.decoder);
    const entries = entriesOf(model);
    this.#vocabulary = new Map(entries);
    this.#model = modelOf(model, this.#vocabulary);
    const added = file.get('added_tokens') == null ? [] : file.parts('added_tokens');
    this.#added = new AddedTokens(added, this.#vocabulary, entries.length, this.#normalize);
    const tokens = new Map(entries.map(([token, id]) => [id, token]));
    for (const [id, { written }] of this.#added.byId) tokens.set(id, written);
    this.tokens = tokens;
  }

  idOf(token: string): number | null {
    return this.#added.idOf(token) ?? this.#vocabulary.get(token) ?? null;
  }

  /** True if a token is left out of a text for readers. */
  readonly isSpecial = (token: string): boolean => this.#added.isSpecial(token);

  encode(text: string): number[] {
    const ids: number[] = [];
    const whole = text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
    for (const { from, to, token } of this.#added.plain.sections(whole)) {
      if (token !== null) ids.push(token.id);
      else this.#encodePart({ text: whole.slice(from, to), isFirst: from === 0 }, ids);
    }
    return ids;
  }

  /** Encodes a part without unnormalized added tokens. */
  #encodePart({ text, isFirst }: Piece, ids: number[]): void {
    const normal = this.#normalize(text);
    for (const { from, to, token } of this.#added.normalized.sections(normal)) {
      if (token !== null) {
        ids.push(token.id);
        continue;
      }
      const piece = { text: normal.slice(from, to), isFirst: isFirst && from === 0 };
      for (const { text: part } of this.#preTokenize([piece]))
        for (const id of this.#model(part)) ids.push(id);
    }
  }

  /** The text of ids. Ids without a token are passed over, and special tokens if `withoutSpecial`. */
  decode(ids: readonly number[], withoutSpecial: boolean): string {
    const tokens = ids
      .map((id) => this.tokens.get(id))
      .filter((token) => token !== undefined)
      .filter((token) => !withoutSpecial || !this.isSpecial(token));
    return this.#decode === null ? tokens.join(' ') : this.#decode(tokens).join('');
  }
}
