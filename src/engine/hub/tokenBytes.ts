/**
 * The bytes that each token adds to a text. A character may span tokens, so only bytes can be put together. Generators have no tokenizer,
 * and find stop strings with this table.
 */
import { byteOfToken, bytesOfCharacters } from './tokens/byteAlphabet.ts';
import { finderOf, replaced } from './tokens/cuts.ts';
import { expressionIn } from './tokens/expression.ts';
import type { Options } from './tokens/options.ts';
import { ModelFileError, type TokenBytes } from './types.ts';

/** The parts of a tokenizer that the table needs: every token by its id, and the decoder in the file. */
interface Decoded {
  readonly tokens: ReadonlyMap<number, string>;
  readonly decoder: Options | null;
  readonly isSpecial: (token: string) => boolean;
}

/** The bytes of one token. Special tokens and ids without a token have none, as when a text is decoded. */
export function bytesOfToken({ bytes, ends }: TokenBytes, id: number): Uint8Array {
  return bytes.subarray(id === 0 ? 0 : (ends[id - 1] ?? bytes.length), ends[id] ?? bytes.length);
}

/** The text of a sequence. Bytes that are no character are read as U+FFFD. */
export function textOfTokens(table: TokenBytes, ids: readonly number[]): string {
  const parts = ids.map((id) => bytesOfToken(table, id));
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(joined);
}

/** A token while decoders work on it: still text, or already bytes. */
type Piece = string | Uint8Array;
type Step = (token: string) => Piece;

const utf8 = new TextEncoder();

function byteFallback(token: string): Piece {
  const byte = byteOfToken(token);
  return byte === null ? token : Uint8Array.of(byte);
}

/** The steps of a decoder that act on single tokens. Steps for the beginning or end of a whole text are left out. */
function stepsOf(decoder: Options): Step[] {
  const type = decoder.text('type');
  switch (type) {
    case 'Sequence':
      return decoder.parts('decoders').flatMap(stepsOf);
    case 'ByteLevel':
      return [(token) => bytesOfCharacters(token) ?? token];
    case 'ByteFallback':
      return [byteFallback];
    case 'Metaspace': {
      const mark = decoder.character('replacement');
      return [(token) => token.replaceAll(mark, ' ')];
    }
    case 'Replace': {
      const find = finderOf(expressionIn(decoder, 'pattern'));
      const content = decoder.text('content');
      return [(token) => replaced(token, find, content)];
    }
    case 'Fuse':
    case 'Strip':
      return [];
    default:
      throw new ModelFileError(
        `tokenizer.json has a decoder of type ${type}, and stop strings can't be found in its text. ` +
          'Those with ByteLevel, Metaspace, Replace, ByteFallback, Fuse and Strip work; choose the chat template as the renderer.',
      );
  }
}

function piece(token: string, steps: readonly Step[]): Uint8Array {
  let now: Piece = token;
  for (const step of steps) if (typeof now === 'string') now = step(now);
  return typeof now === 'string' ? utf8.encode(now) : now;
}

/**
 * The table of a tokenizer.
 *
 * @throws ModelFileError if its decoder is of a kind that has no bytes for single tokens.
 */
export function tokenBytesOf({ tokens, decoder, isSpecial }: Decoded): TokenBytes {
  // Without a decoder tokens are joined with spaces.
  const steps: Step[] = decoder === null ? [(token) => ` ${token}`] : stepsOf(decoder);
  const pieces = new Map<number, Uint8Array>();
  let count = 0;
  for (const [id, token] of tokens) {
    pieces.set(id, isSpecial(token) ? new Uint8Array() : piece(token, steps));
    count = Math.max(count, id + 1);
  }
  const ends = new Uint32Array(count);
  let length = 0;
  for (let id = 0; id < count; id++) ends[id] = length += pieces.get(id)?.length ?? 0;
  const bytes = new Uint8Array(length);
  for (const [id, own] of pieces) bytes.set(own, (ends[id] ?? 0) - own.length);
  return { bytes, ends };
}
