/** SentencePiece's table of replacements, `precompiled_charsmap`: a double array of prefixes of UTF-8, and the texts it points to. */
import { bytesOfBase64 } from '@rl-playground/base/base64';
import type { Options } from './options.ts';
import type { Normalizer } from './types.ts';

/** Longer clusters are replaced character by character. */
const LONGEST_CLUSTER = 6;

const utf8 = new TextEncoder();

/** Returns the replacement of the shortest prefix of some bytes that has one; null if none has. */
type Lookup = (bytes: Uint8Array) => string | null;

function lookupIn(array: Uint32Array, texts: Uint8Array): Lookup {
  const offsetOf = (unit: number): number => (unit >>> 10) << ((unit & 0x200) >>> 6);
  const textAt = (begin: number): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(texts.subarray(begin, texts.indexOf(0, begin)));
  return (bytes) => {
    let node = offsetOf(array[0] ?? 0);
    for (const byte of bytes) {
      node ^= byte;
      const unit = array[node] ?? 0;
      if (byte === 0 || (unit & 0x8000_00ff) >>> 0 !== byte) return null;
      node ^= offsetOf(unit);
      if ((unit & 0x100) !== 0) return textAt((array[node] ?? 0) & 0x7fff_ffff);
    }
    return null;
  };
}

/** Reads the table: the size of the array in bytes, its units and the texts, each of which ends in a zero. */
function lookupOf(options: Options): Lookup {
  try {
    const bytes = bytesOfBase64(options.text('precompiled_charsmap'));
    const view = new DataView(bytes.buffer);
    const size = view.getUint32(0, true);
    const array = Uint32Array.from({ length: size / 4 }, (_, i) => view.getUint32(4 + 4 * i, true));
    return lookupIn(array, bytes.subarray(4 + size));
  } catch {
    return options.refuse('precompiled_charsmap', 'a table in base64 is needed');
  }
}

/** @throws OptionError */
export function charsMapOf(options: Options): Normalizer {
  const lookUp = lookupOf(options);
  const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const ofCluster = (cluster: string): string => {
    const bytes = utf8.encode(cluster);
    const whole = bytes.length < LONGEST_CLUSTER ? lookUp(bytes) : null;
    return whole ?? Array.from(cluster, (each) => lookUp(utf8.encode(each)) ?? each).join('');
  };
  return (text) => Array.from(clusters.segment(text), ({ segment }) => ofCluster(segment)).join('');
}
