/**
 * The normalizers, which change a text before it is cut into tokens. Forms and accents follow the Unicode of the browser, which may know
 * letters of rare writings that the library does not know yet.
 */
import { asByteCharacters } from './byteAlphabet.ts';
import { charsMapOf } from './charsMap.ts';
import { finderOf, replaced } from './cuts.ts';
import { expressionOf, patternIn } from './expression.ts';
import { widthsOf } from './oniguruma.ts';
import { builtBy, inOrder, type Options } from './options.ts';
import type { Normalizer } from './types.ts';

const characters = (text: string, change: (character: string) => string): string =>
  Array.from(text, change).join('');

/** Characters one by one: a Greek sigma at the end of a word becomes an ordinary one. */
const lowercase: Normalizer = (text) => characters(text, (character) => character.toLowerCase());

const CHINESE =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;

function bert(options: Options): Normalizer {
  const isLower = options.flag('lowercase', true);
  const steps: Normalizer[] = [];
  if (options.flag('clean_text', true))
    steps.push(
      (text) => text.replaceAll(/\0|\ufffd|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu, ''),
      (text) => text.replaceAll(/\p{White_Space}/gu, ' '),
    );
  if (options.flag('handle_chinese_chars', true)) steps.push((text) => text.replaceAll(CHINESE, ' $& '));
  if (options.flag('strip_accents', isLower))
    steps.push((text) => text.normalize('NFD').replaceAll(/\p{Mn}/gu, ''));
  if (isLower) steps.push(lowercase);
  return sequence(steps);
}

/** The control characters that SentencePiece leaves in a text. */
const isKeptControl = (character: string): boolean =>
  '\0\t\n\f\r'.includes(character) || (character > '\x7f' && !'\x8f\x9f'.includes(character));

/** The rules of SentencePiece for machine translation. */
const nmt: Normalizer = (text) =>
  text
    .replaceAll(/\p{Cc}/gu, (character) => (isKeptControl(character) ? character : ''))
    .replaceAll(/[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g, ' ');

function strip(options: Options): Normalizer {
  const ends = [
    ...(options.flag('strip_left') ? ['^\\p{White_Space}+'] : []),
    ...(options.flag('strip_right') ? ['(?<!\\p{White_Space})\\p{White_Space}+$'] : []),
  ];
  const expression = new RegExp(ends.join('|') || '(?!)', 'gu');
  return (text) => text.replaceAll(expression, '');
}

function replace(options: Options): Normalizer {
  const pattern = patternIn(options, 'pattern');
  const content = options.text('content');
  if (content !== '' && widthsOf(pattern)[0] === 0)
    options.refuse('pattern', 'one that can match an empty text is not built');
  const find = finderOf(expressionOf(pattern));
  return (text) => replaced(text, find, content);
}

function prepend(options: Options): Normalizer {
  const before = options.text('prepend');
  return (text) => (text === '' ? '' : before + text);
}

const sequence = (steps: readonly Normalizer[]): Normalizer => inOrder(steps, ({ length }) => length);

const form =
  (name: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): (() => Normalizer) =>
  () =>
  (text) =>
    text.normalize(name);

const BUILDERS: Readonly<Record<string, (options: Options) => Normalizer>> = {
  BertNormalizer: bert,
  ByteLevel: () => asByteCharacters,
  Lowercase: () => lowercase,
  NFC: form('NFC'),
  NFD: form('NFD'),
  NFKC: form('NFKC'),
  NFKD: form('NFKD'),
  Nmt: () => nmt,
  Precompiled: charsMapOf,
  Prepend: prepend,
  Replace: replace,
  Sequence: (options) => sequence(options.parts('normalizers').map(normalizerOf)),
  Strip: strip,
  StripAccents: () => (text) => text.replaceAll(/\p{M}/gu, ''),
};

/** @throws OptionError */
export function normalizerOf(options: Options): Normalizer {
  return builtBy(BUILDERS, options);
}
