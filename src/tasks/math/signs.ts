/** Signs that keyboards, fonts and LaTeX write in several ways, as the one that readers of numbers look for. */
import { asciiDigits } from '@rl-playground/base/pythonText';

/** Each sign with the characters that stand for it. */
const ALIKE: Readonly<Record<string, string>> = {
  '-': '−–‒﹣－',
  '+': '＋﹢',
  ',': '，﹐٬',
  '.': '．٫',
  '%': '％﹪٪',
  '/': '／⁄∕÷',
  '*': '×✕⨯·⋅∙∗＊',
  '=': '＝',
  '(': '（',
  ')': '）',
  $: '＄﹩',
  ':': '：',
  "'": '’‘ʼ＇',
  '^': '＾',
  ' ': '\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000',
};
const PLAIN: ReadonlyMap<string, string> = new Map(
  Object.entries(ALIKE).flatMap(([sign, others]) => Array.from(others, (other) => [other, sign] as const)),
);

/** The text with digits and signs of ASCII. Its length stays, but for digits beyond the first plane of Unicode. */
export function plainSigns(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return asciiDigits(text).replace(/[^\0-\x7f]/g, (character) => PLAIN.get(character) ?? character);
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A run of superscripts as a whole number. */
export function superscriptValue(text: string): number {
  const digits = Array.from(text.replace(/[⁻⁺]/, ''), (character) => SUPERSCRIPTS.indexOf(character)).join(
    '',
  );
  return text.startsWith('⁻') ? -Number(digits) : Number(digits);
}

/** Fractions that are one character, with what they stand for. */
export const VULGAR: ReadonlyMap<string, readonly [above: bigint, below: bigint]> = new Map(
  (
    '½ 1 2  ⅓ 1 3  ⅔ 2 3  ¼ 1 4  ¾ 3 4  ⅕ 1 5  ⅖ 2 5  ⅗ 3 5  ⅘ 4 5  ⅙ 1 6  ⅚ 5 6  ⅐ 1 7  ⅛ 1 8  ⅜ 3 8  ⅝ 5 8  ⅞ 7 8' +
    '  ⅑ 1 9  ⅒ 1 10'
  )
    .split('  ')
    .map((each) => {
      const [character = '', above = '0', below = '1'] = each.split(' ');
      return [character, [BigInt(above), BigInt(below)]] as const;
    }),
);
