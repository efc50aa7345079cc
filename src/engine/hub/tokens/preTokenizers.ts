/** The pre-tokenizers, which part a text. Each part is then cut into tokens by itself. */
import { asByteCharacters } from './byteAlphabet.ts';
import { BEHAVIORS, finderOf, inverted, literally, parted, type Behavior, type Finder } from './cuts.ts';
import { expressionIn, expressionOf } from './expression.ts';
import { PatternReader } from './oniguruma.ts';
import { builtBy, inOrder, type Options } from './options.ts';
import { scriptParts } from './scripts.ts';
import type { Piece } from './types.ts';

export type PreTokenizer = (pieces: readonly Piece[]) => readonly Piece[];

const partsOf = ({ text, isFirst }: Piece, find: Finder, behavior: Behavior): Piece[] =>
  parted(text, find, behavior).map(([from, to]) => ({
    text: text.slice(from, to),
    isFirst: isFirst && from === 0,
  }));

const lengthOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + text.length, 0);

const split =
  (find: Finder, behavior: Behavior): PreTokenizer =>
  (pieces) =>
    pieces.flatMap((piece) => partsOf(piece, find, behavior));

/** Punctuation that Unicode has added since the library's own table. */
const NEWER_PUNCTUATION =
  '\\u061d\\u09fd\\u0a76\\u0c77\\u0c84\\u1b4e\\u1b4f\\u1b7d-\\u1b7f\\u2e43-\\u2e4f\\u2e52-\\u2e5d' +
  '\\u{10d6e}\\u{10ead}\\u{10ed0}\\u{10f55}-\\u{10f59}\\u{10f86}-\\u{10f89}\\u{113d4}\\u{113d5}' +
  '\\u{113d7}\\u{113d8}\\u{1144b}-\\u{1144f}\\u{1145a}\\u{1145b}\\u{1145d}\\u{11660}-\\u{1166c}' +
  '\\u{116b9}\\u{1183b}\\u{11944}-\\u{11946}\\u{119e2}\\u{11a3f}-\\u{11a46}\\u{11a9a}-\\u{11a9c}' +
  '\\u{11a9e}-\\u{11aa2}\\u{11b00}-\\u{11b09}\\u{11be1}\\u{11c41}-\\u{11c45}\\u{11c70}\\u{11c71}' +
  '\\u{11ef7}\\u{11ef8}\\u{11f43}-\\u{11f4f}\\u{11fff}\\u{12ff1}\\u{12ff2}\\u{16d6d}-\\u{16d6f}' +
  '\\u{16e97}-\\u{16e9a}\\u{16fe2}\\u{1e5ff}\\u{1e95e}\\u{1e95f}';
const PUNCTUATION = new RegExp(`(?![${NEWER_PUNCTUATION}])[\\p{P}$+<=>^\`|~\u166d\u{111c9}]`, 'gu');
const SPACE = /\p{White_Space}/gu;

/** The pattern of GPT-2. */
export const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

function byteLevel(options: Options): PreTokenizer {
  const prefix = options.flag('add_prefix_space', true);
  const isParted = options.flag('use_regex', true);
  const find = finderOf(expressionOf(new PatternReader(GPT2).read()));
  return (pieces) => {
    const prefixed = pieces.map(({ text, isFirst }) => ({
      text: prefix && !text.startsWith(' ') ? ` ${text}` : text,
      isFirst,
    }));
    const parts = isParted ? split(find, 'Isolated')(prefixed) : prefixed;
    return parts.map(({ text, isFirst }) => ({ text: asByteCharacters(text), isFirst }));
  };
}

function metaspace(options: Options): PreTokenizer {
  const mark = options.character('replacement');
  const scheme = options.one('prepend_scheme', ['always', 'first', 'never'], 'always');
  const noPrefix = !options.flag('add_prefix_space', true);
  if (noPrefix && scheme === 'first')
    options.refuse('add_prefix_space', 'prepend_scheme, which is "first", says the opposite');
  const find = finderOf(literally(mark));
  const isParted = options.flag('split', true);
  return (pieces) => {
    const marked = pieces.map(({ text, isFirst }) => {
      const written = text.replaceAll(' ', mark);
      const isPut = !noPrefix && (scheme === 'always' || (scheme === 'first' && isFirst));
      return { text: isPut && !written.startsWith(mark) ? mark + written : written, isFirst };
    });
    return isParted ? split(find, 'MergedWithNext')(marked) : marked;
  };
}

function fixedLength(options: Options): PreTokenizer {
  const length = options.count('length', 5);
  if (length === 0) options.refuse('length', 'at least 1 is needed');
  return split(finderOf(new RegExp(`[^]{1,${length}}`, 'gu')), 'Isolated');
}

function splitBy(options: Options): PreTokenizer {
  const find = finderOf(expressionIn(options, 'pattern'));
  const behavior = options.one('behavior', BEHAVIORS);
  return split(options.flag('invert', false) ? inverted(find) : find, behavior);
}

const BUILDERS: Readonly<Record<string, (options: Options) => PreTokenizer>> = {
  BertPreTokenizer: () => (pieces) =>
    split(finderOf(PUNCTUATION), 'Isolated')(split(finderOf(SPACE), 'Removed')(pieces)),
  ByteLevel: byteLevel,
  CharDelimiterSplit: (options) => split(finderOf(literally(options.character('delimiter'))), 'Removed'),
  Digits: (options) =>
    split(finderOf(/\p{N}/gu), options.flag('individual_digits') ? 'Isolated' : 'Contiguous'),
  FixedLength: fixedLength,
  Metaspace: metaspace,
  Punctuation: (options) => split(finderOf(PUNCTUATION), options.one('behavior', BEHAVIORS, 'Isolated')),
  Sequence: (options) => inOrder(options.parts('pretokenizers').map(preTokenizerOf), lengthOf),
  Split: splitBy,
  UnicodeScripts: () => (pieces) => pieces.flatMap(scriptParts),
  Whitespace: () =>
    split(
      inverted(
        finderOf(
          /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d\p{White_Space}]+/gu,
        ),
      ),
      'Removed',
    ),
  WhitespaceSplit: () => split(finderOf(SPACE), 'Removed'),
};

/** Parts are left out where they are empty. @throws OptionError */
export function preTokenizerOf(options: Options): PreTokenizer {
  const parts = builtBy(BUILDERS, options);
  return (pieces) => parts(pieces).filter(({ text }) => text !== '');
}
