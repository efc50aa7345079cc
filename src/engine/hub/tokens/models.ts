/** The models that cut a part of a text into tokens of their vocabulary. */
import { isJsonObject } from '@rl-playground/base/json';
import { bpeOf } from './bpe.ts';
import { builtBy, type Options } from './options.ts';
import type { Model, Vocabulary } from './types.ts';
import { unigramOf } from './unigram.ts';

const LONGEST_WORD = 1000;

/** The longest token at each place, from left to right. A word that can't be cut so is unknown. */
function wordPieceOf(options: Options, ids: Vocabulary): Model {
  const unknown = options.text('unk_token');
  const prefix = options.text('continuing_subword_prefix');
  const most = options.count('max_input_chars_per_word');
  if (most > LONGEST_WORD) options.refuse('max_input_chars_per_word', `at most ${LONGEST_WORD} are built`);
  const longest = [...ids.keys()].reduce((length, token) => Math.max(length, token.length), 0);
  return (text) => {
    const unknownIds = (): number[] => [
      ids.get(unknown) ?? options.refuse('unk_token', 'it is needed and no token'),
    ];
    const characters = [...text];
    if (characters.length > most) return unknownIds();
    const found: number[] = [];
    for (let from = 0; from < characters.length;) {
      let to = Math.min(characters.length, from + longest);
      let id: number | undefined;
      for (; to > from; to--) {
        id = ids.get((from > 0 ? prefix : '') + characters.slice(from, to).join(''));
        if (id !== undefined) break;
      }
      if (id === undefined) return unknownIds();
      found.push(id);
      from = to;
    }
    return found;
  };
}

function wordLevelOf(options: Options, ids: Vocabulary): Model {
  const unknown = options.text('unk_token');
  return (text) => [
    ids.get(text) ??
      ids.get(unknown) ??
      options.refuse('unk_token', `it is needed for ${JSON.stringify(text)} and no token`),
  ];
}

/** The tokens of a model with their ids. A list may name a token twice: the later id is that of the token. @throws OptionError */
export function entriesOf(options: Options): readonly (readonly [token: string, id: number])[] {
  const vocabulary = options.get('vocab');
  if (isJsonObject(vocabulary)) return Object.entries(vocabulary as Record<string, number>);
  return options.list('vocab').map((entry, id) => [String((entry as unknown[])[0]), id]);
}

/** The type of a model that names none, as older files do. */
function typeOf(options: Options): string {
  if (Array.isArray(options.get('vocab'))) return 'Unigram';
  if (options.get('merges') !== undefined) return 'BPE';
  return options.get('max_input_chars_per_word') === undefined ? 'WordLevel' : 'WordPiece';
}

/** @throws OptionError */
export function modelOf(options: Options, ids: Vocabulary): Model {
  const builders: Readonly<Record<string, (options: Options) => Model>> = {
    BPE: () => bpeOf(options, ids),
    Unigram: () => unigramOf(options, ids),
    WordLevel: () => wordLevelOf(options, ids),
    WordPiece: () => wordPieceOf(options, ids),
  };
  if (options.get('type') === undefined) return builders[typeOf(options)]?.(options) ?? (() => []);
  return builtBy(builders, options);
}
