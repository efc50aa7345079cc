/** Corrects how texts are split before merges, where `@huggingface/tokenizers` 0.2.0 differs from the library that it imitates. */
import {
  ByteLevelPreTokenizer,
  DigitsPreTokenizer,
  SequencePreTokenizer,
  type PreTokenizer,
} from '@huggingface/tokenizers';

/** Replaces JavaScript's `\s`, which lacks U+0085 and has U+FEFF, by Unicode's property, which the library's expressions mean. */
const withUnicodeSpace = ({ source, flags }: RegExp): RegExp =>
  new RegExp(source.replaceAll('\\s', '\\p{White_Space}').replaceAll('\\S', '\\P{White_Space}'), flags);

/** Matches digits, which are all numeric characters (Rust's `char::is_numeric`), such as ², Ⅷ and ①. */
const digitPattern = (individual: boolean): RegExp => (individual ? /\P{N}+|\p{N}/gu : /\P{N}+|\p{N}+/gu);

/** Corrects, in place, how a pre-tokenizer and its parts split texts. */
export function correctPreTokenizer(part: PreTokenizer | null): void {
  if (part instanceof SequencePreTokenizer) for (const each of part.tokenizers) correctPreTokenizer(each);
  if (part instanceof ByteLevelPreTokenizer) part.pattern = withUnicodeSpace(part.pattern);
  if (part instanceof DigitsPreTokenizer) part.pattern = digitPattern(part.config.individual_digits === true);
}
