/** Corrects how tokens become text, where `@huggingface/tokenizers` 0.2.0 differs from the library that it imitates. */
import {
  ByteFallbackDecoder,
  MetaspaceDecoder,
  SequenceDecoder,
  type Decoder,
} from '@huggingface/tokenizers';
import { byteFallback } from './tokenBytes.ts';

/** Reads a run of byte tokens that is no UTF-8 as one U+FFFD for each of its bytes, including valid ones. U+FEFF stays. */
class WholeRunByteFallback extends ByteFallbackDecoder {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

  override decode_chain(tokens: string[]): string[] {
    const parts: string[] = [];
    let run: number[] = [];
    const endRun = (): void => {
      if (run.length > 0) parts.push(this.#textOf(run));
      run = [];
    };
    for (const token of tokens) {
      const piece = byteFallback(token);
      if (typeof piece !== 'string') run.push(...piece);
      else {
        endRun();
        parts.push(piece);
      }
    }
    endRun();
    return parts;
  }

  #textOf(run: readonly number[]): string {
    try {
      return this.#utf8.decode(Uint8Array.from(run));
    } catch {
      return '\ufffd'.repeat(run.length);
    }
  }
}

/** Removes every mark of the first token, and not only its first mark. It removes none if no mark is put before a text. */
class FirstTokenMetaspace extends MetaspaceDecoder {
  override decode_chain(tokens: string[]): string[] {
    const kept = 'prepend_scheme' in this.config && this.config.prepend_scheme === 'never';
    return tokens.map((token, i) => token.replaceAll(this.replacement, i === 0 && !kept ? '' : ' '));
  }
}

/** The decoder with corrected parts in their order. */
export function corrected(decoder: Decoder): Decoder {
  if (decoder instanceof SequenceDecoder) decoder.decoders = decoder.decoders.map(corrected);
  const { config } = decoder;
  if (config.type === 'ByteFallback') return new WholeRunByteFallback(config);
  if (config.type === 'Metaspace') return new FirstTokenMetaspace(config);
  return decoder;
}
