/** The decoders, which turn tokens into text. */
import { byteOfToken, bytesOfCharacters } from './byteAlphabet.ts';
import { finderOf, replaced } from './cuts.ts';
import { expressionIn } from './expression.ts';
import { builtBy, inOrder, type Options } from './options.ts';

/** Changes the tokens, which are joined in the end. */
export type Decoder = (tokens: readonly string[]) => readonly string[];

const utf8 = new TextEncoder();

/** All tokens as bytes, read as UTF-8 together. A token with other characters stands for itself. */
const byteLevel: Decoder = (tokens) => {
  const parts = tokens.map((token) => bytesOfCharacters(token) ?? utf8.encode(token));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return [new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)];
};

/** Reads a run of byte tokens that is no UTF-8 as one U+FFFD for each of its bytes, including valid ones. U+FEFF stays. */
const byteFallback: Decoder = (tokens) => {
  const parts: string[] = [];
  let run: number[] = [];
  const endRun = (): void => {
    if (run.length > 0) parts.push(...textOfRun(run));
    run = [];
  };
  for (const token of tokens) {
    const byte = byteOfToken(token);
    if (byte !== null) run.push(byte);
    else {
      endRun();
      parts.push(token);
    }
  }
  endRun();
  return parts;
};

function textOfRun(run: readonly number[]): string[] {
  try {
    return [new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(run))];
  } catch {
    return run.map(() => '\ufffd');
  }
}

/** Removes every mark of the first token, if one is put before a text. */
function metaspace(options: Options): Decoder {
  const mark = options.character('replacement');
  const scheme = options.one('prepend_scheme', ['always', 'first', 'never'], 'always');
  const isPut = options.flag('add_prefix_space', true) && scheme !== 'never';
  return (tokens) => tokens.map((token, i) => token.replaceAll(mark, i === 0 && isPut ? '' : ' '));
}

function strip(options: Options): Decoder {
  const content = options.character('content');
  const start = options.count('start', 0);
  const stop = options.count('stop', 0);
  return (tokens) =>
    tokens.map((token) => {
      const characters = [...token];
      let from = 0;
      let to = characters.length;
      while (from < start && characters[from] === content) from++;
      while (to > from && characters.length - to < stop && characters[to - 1] === content) to--;
      return characters.slice(from, to).join('');
    });
}

function replace(options: Options): Decoder {
  const find = finderOf(expressionIn(options, 'pattern'));
  const content = options.text('content');
  return (tokens) => tokens.map((token) => replaced(token, find, content));
}

const TIDIED: readonly (readonly [string, string])[] = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [' do not', " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
];

const tidied = (text: string): string =>
  TIDIED.reduce((now, [written, meant]) => now.replaceAll(written, meant), text);

function wordPiece(options: Options): Decoder {
  const prefix = options.text('prefix', '##');
  const tidies = options.flag('cleanup', true);
  return (tokens) =>
    tokens.map((token, i) => {
      const spaced = token.startsWith(prefix) ? token.slice(prefix.length) : ` ${token}`;
      const written = i === 0 ? token : spaced;
      return tidies ? tidied(written) : written;
    });
}

function bpe(options: Options): Decoder {
  const suffix = options.text('suffix', '</w>');
  return (tokens) => tokens.map((token, i) => token.replaceAll(suffix, i === tokens.length - 1 ? '' : ' '));
}

function ctc(options: Options): Decoder {
  const pad = options.text('pad_token', '<pad>');
  const border = options.text('word_delimiter_token', '|');
  const tidies = options.flag('cleanup', true);
  return (tokens) =>
    tokens
      .filter((token, i) => token !== tokens[i - 1])
      .map((token) => {
        const written = token.replaceAll(pad, '');
        return tidies ? tidied(written).replaceAll(border, ' ') : written;
      })
      .filter((token) => token !== '');
}

const BUILDERS: Readonly<Record<string, (options: Options) => Decoder>> = {
  BPEDecoder: bpe,
  ByteFallback: () => byteFallback,
  ByteLevel: () => byteLevel,
  CTC: ctc,
  Fuse: () => (tokens) => [tokens.join('')],
  Metaspace: metaspace,
  Replace: replace,
  Sequence: (options) =>
    inOrder(options.parts('decoders').map(decoderOf), (tokens) =>
      tokens.reduce((sum, { length }) => sum + length, 0),
    ),
  Strip: strip,
  WordPiece: wordPiece,
};

/** @throws OptionError */
export function decoderOf(options: Options): Decoder {
  return builtBy(BUILDERS, options);
}
