/**
 * The bytes that each token adds to a text. A character may span tokens, so only bytes can be put together. Generators have no tokenizer,
 * and find stop strings with this table.
 */
import { z } from 'zod';
import { LARGEST_ID } from './tokenIds.ts';
import { ModelFileError, type TokenBytes } from './types.ts';

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

interface Decoder {
  readonly type: string;
  readonly decoders?: readonly Decoder[];
  readonly replacement?: string;
  readonly pattern?: { readonly String?: string; readonly Regex?: string };
  readonly content?: string;
}

const decoderSchema: z.ZodType<Decoder> = z.lazy(() =>
  z.looseObject({
    type: z.string(),
    decoders: z.array(decoderSchema).optional(),
    replacement: z.string().optional(),
    pattern: z.looseObject({ String: z.string().optional(), Regex: z.string().optional() }).optional(),
    content: z.string().optional(),
  }),
);

const fileSchema = z.looseObject({
  decoder: decoderSchema.nullish(),
  added_tokens: z
    .array(
      z.looseObject({
        id: z.number().int().nonnegative().max(LARGEST_ID),
        content: z.string(),
        special: z.boolean().optional(),
      }),
    )
    .optional(),
});

/** A token while decoders work on it: still text, or already bytes. */
type Piece = string | Uint8Array;
type Step = (token: string) => Piece;

/** The byte of each character of byte-level BPE: printable characters of Latin-1 are their own byte, and the others begin at U+0100. */
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = (() => {
  const isPrintable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  const map = new Map<string, number>();
  let others = 0;
  for (let byte = 0; byte < 256; byte++)
    map.set(String.fromCharCode(isPrintable(byte) ? byte : 0x100 + others++), byte);
  return map;
})();

const utf8 = new TextEncoder();

function byteLevel(token: string): Piece {
  const bytes = Array.from(token, (character) => BYTE_OF_CHARACTER.get(character));
  return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : token;
}

const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;

/** The byte that a token such as `<0x0A>` means; any other token unchanged. */
export function byteFallback(token: string): Piece {
  const hex = BYTE_TOKEN.exec(token)?.[1];
  return hex === undefined ? token : Uint8Array.of(Number.parseInt(hex, 16));
}

/** The steps of a decoder that act on single tokens. Steps for the beginning or end of a whole text are left out. */
function stepsOf(decoder: Decoder): Step[] {
  switch (decoder.type) {
    case 'Sequence':
      return (decoder.decoders ?? []).flatMap(stepsOf);
    case 'ByteLevel':
      return [byteLevel];
    case 'ByteFallback':
      return [byteFallback];
    case 'Metaspace': {
      const { replacement = '\u2581' } = decoder;
      return [(token) => token.replaceAll(replacement, ' ')];
    }
    case 'Replace': {
      const { pattern, content = '' } = decoder;
      const found = pattern?.Regex === undefined ? pattern?.String : new RegExp(pattern.Regex, 'gu');
      return found === undefined ? [] : [(token) => token.replaceAll(found, () => content)];
    }
    case 'Fuse':
    case 'Strip':
      return [];
    default:
      throw new ModelFileError(
        `tokenizer.json has a decoder of type ${decoder.type}, and stop strings can't be found in its text. ` +
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
 * The table of a tokenizer. `tokens` has every token with its id, as the vocabulary writes it.
 *
 * @throws ModelFileError if its decoder is of a kind that has no bytes for single tokens.
 */
export function tokenBytesOf(tokenizerJson: object, tokens: ReadonlyMap<string, number>): TokenBytes {
  const parsed = fileSchema.safeParse(tokenizerJson);
  if (!parsed.success)
    throw new ModelFileError(`tokenizer.json: ${parsed.error.issues[0]?.message ?? 'is no tokenizer.'}`);
  const { decoder, added_tokens: added = [] } = parsed.data;
  // Without a decoder tokens are joined with spaces.
  const steps: Step[] = decoder ? stepsOf(decoder) : [(token) => ` ${token}`];
  const pieces = new Map<number, Uint8Array>();
  for (const [token, id] of tokens) pieces.set(id, piece(token, steps));
  for (const { id, content, special } of added)
    pieces.set(id, special === true ? new Uint8Array() : utf8.encode(decoder ? content : ` ${content}`));

  let count = 0;
  for (const id of pieces.keys()) count = Math.max(count, id + 1);
  const ends = new Uint32Array(count);
  let length = 0;
  for (let id = 0; id < count; id++) ends[id] = length += pieces.get(id)?.length ?? 0;
  const bytes = new Uint8Array(length);
  for (const [id, own] of pieces) bytes.set(own, (ends[id] ?? 0) - own.length);
  return { bytes, ends };
}
