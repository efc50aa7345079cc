/** The writing system of characters, for the pre-tokenizer that parts a text where it changes. */
import type { Piece } from './types.ts';

const NAMES =
  'Adlm Aghb Ahom Arab Armi Armn Avst Bali Bamu Bass Batk Beng Berf Bhks Bopo Brah Brai Bugi Buhd Cakm ' +
  'Cans Cari Cham Cher Chrs Copt Cpmn Cprt Cyrl Deva Diak Dogr Dsrt Dupl Egyp Elba Elym Ethi Gara Geor ' +
  'Glag Gong Gonm Goth Gran Grek Gujr Gukh Guru Hang Hani Hano Hatr Hebr Hira Hluw Hmng Hmnp Hung Ital ' +
  'Java Kali Kana Kawi Khar Khmr Khoj Kits Knda Krai Kthi Lana Laoo Latn Lepc Limb Lina Linb Lisu Lyci ' +
  'Lydi Mahj Maka Mand Mani Marc Medf Mend Merc Mero Miao Mlym Modi Mong Mroo Mtei Mult Mymr Nagm Nand ' +
  'Narb Nbat Newa Nkoo Nshu Ogam Olck Onao Orkh Orya Osge Osma Ougr Palm Pauc Perm Phag Phli Phlp Phnx ' +
  'Prti Qaai Rjng Rohg Runr Samr Sarb Saur Sgnw Shaw Shrd Sidd Sidt Sind Sinh Sogd Sogo Sora Soyo Sund ' +
  'Sunu Sylo Syrc Tagb Takr Tale Talu Taml Tang Tavt Tayo Telu Tfng Tglg Thaa Thai Tibt Tirh Tnsa Todr ' +
  'Tols Toto Tutg Ugar Vaii Vith Wara Wcho Xpeo Xsux Yezi Yiii Zanb Zyyy';

/**
 * The characters that the library's table, which is older than that of JavaScript, has in no script: each range as its distance from the end
 * of the one before, and its length less one, to the base 36.
 */
const NEWER =
  '128 14+1 2u 19+1 dc+2 2p+a 6+x 6+8 m 9+l 3k+1 4o+2 3c 3o+5 2e 4v 1k w+1 q d 2g+1 m d 4 1j+1 ' +
  '1x 79 3 3 2+5 5 8 8+1 3 e k 1mn 8 a 6o 2x g7+u 3+b 2p 2+1 1a+2 7e+1 6+16 3+2 1k 3 70+4 jp+2 ' +
  'n2 14+2 1gt+1 z+2 d 9+p 5+f 1c 1c di+o bj+3 8f+1 3w+4 11+1 a 7k 59z+9 g7r+15 1io 9+10 l+5 1i ' +
  '5u+1 h3+5 fvb+g a6+f 1t+1 1j+7 1b+1 pp b5+2 g1+a 2+e 2+6 2+1 2+a 2+e 2+6 2+1 4+1f b1+5 2+15 ' +
  '2+8 au+p 63+1 j jc+13 9+9 7+11 4+s 9+1 6p+15 2+2 3+1 h+5 9+8 y+19 9+15 n+p 13+r l+m 3e+5 25 ' +
  'b 3b+3 3r+1 34+2 6y 1x+9 2 3 2+11 2+9 2 3 2+3 2+9 2+1 9+1 3c 4+3 gn+1 n+j 1j 12+6 56+1n 5h+6 ' +
  '3 3+7 2+1 2+t 2+1 3+b a+9 1z+7 3+19 3+a s+1z 9+2a e+f 1t+9 2f+7 2h+x f+9 7b+6 2+1 2+17 4 2+1 ' +
  '2+8 9+9 7+5 2+1 2+10 2+1 2+5 8+9 7+17 5+9 6v+o 8+g 2+14 4+s 2e g+1d e 32p+2q u5+12 b+32y ' +
  '5qe+1l 1tj+26 2+9 hj+1l 5j+2i 6+o 3+o 36+5 5 1c+8 2i+3 c+6 4qf+i l0+de 16+v 2q+36 6pq+3 2+6 ' +
  '2+1 4+80 g u+2 3 f+3 9+az 4xx+70 4+c3 7+m g+g g+19 3+m a+37 fa+1 5y+j d+j 3j+6 2a0+u 7+5 ' +
  '7a+1p y 35+18 4+d 3+9 5+1 8x+u i+1l 6 cx+15 5z+16 5 5d+u 2+l 9+1 69+6 2+3 2+1 2+e 99 me+1v ' +
  '25+1o r4+2 w 1p+3 1q 4z+5 vi+5 4+3 o+5 3c+b 2e+4 7+b 5 5c+b 5+1 f+8 14+f g 9+7 2+1 d d+3 g+w ' +
  'j+19 2+46 9+d 3+c 4+a 4+1k 2 5+f 3+b 5+9 8+42 2+2u xr1+8 386+a 4mb+b 3+5rk g+h9 3hf+3t6 ' +
  '6+6jt';

/** The script that goes with every other. */
const ANY = 'Zzzz';
/** Kana, and the mark that lengthens a vowel, are written among Chinese characters. */
const WITH_HAN = ['Hira', 'Kana'];
const LONG_VOWEL = '\u30fc';

let expressions: readonly (readonly [string, RegExp])[] | null = null;
/** Characters with their scripts as the library has them. */
const known = new Map<string, string>([
  [' ', ANY],
  [LONG_VOWEL, 'Hani'],
  ['\u0589', 'Zyyy'],
  ['\u061c', 'Zyyy'],
  ['\u0953', 'Deva'],
  ['\u0954', 'Deva'],
]);

let newer: ReadonlySet<number> | null = null;

function newerCharacters(): ReadonlySet<number> {
  const codes = new Set<number>();
  let code = 0;
  for (const range of NEWER.split(' ')) {
    const [distance = '', more = '0'] = range.split('+');
    code += Number.parseInt(distance, 36);
    const end = code + Number.parseInt(more, 36);
    for (; code < end; code++) codes.add(code);
    codes.add(code);
  }
  return codes;
}

function scriptOf(character: string): string {
  const found = known.get(character);
  if (found !== undefined) return found;
  expressions ??= NAMES.split(' ').map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')]);
  newer ??= newerCharacters();
  const isNewer = newer.has(character.codePointAt(0) ?? 0);
  const [name] = expressions.find(([, expression]) => expression.test(character)) ?? [ANY];
  const withHan = WITH_HAN.includes(name) ? 'Hani' : name;
  const script = isNewer ? ANY : withHan;
  known.set(character, script);
  return script;
}

/** Parts a text where its script changes. As in the library, spaces before the first character of a script are lost. */
export function scriptParts({ text, isFirst }: Piece): Piece[] {
  const begins: number[] = [];
  let last = ANY;
  let at = 0;
  for (const character of text) {
    const script = scriptOf(character);
    if (script !== ANY && script !== last) begins.push(at);
    if (script !== ANY) last = script;
    at += character.length;
  }
  return begins.map((begin, i) => ({
    text: text.slice(begin, begins[i + 1] ?? text.length),
    isFirst: isFirst && begin === 0,
  }));
}
