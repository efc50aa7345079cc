/** Letters of a choice in a text. The article “a” and the pronoun “I” are none, and neither is one of several: B or C, A B C D. */

/** A letter behind a cue or at the start: a capital, one in brackets, or a small one with nothing behind it. */
const LETTER = String.raw`(?:[([]([A-Za-z])[)\]]|([A-Z])(?![\p{L}\p{N}'-])|([a-z])(?=[ \t]*(?:[).,;:!]|\n|$)))`;
const LEADING = new RegExp(`^\\s{0,9}(?:[Oo]ption |[Cc]hoice |[Aa]nswer )?${LETTER}`, 'u');
/** `The answer is B`, `Answer: B` */
const STRONG =
  /\b(?:answer|choice|option)(?:[ \t](?:letter|choice|option))?(?:\s{1,3}(?:is|would be|should be|must be|has to be|seems to be)\b\s{0,3}:?|\s{0,3}[:=]|\s{1,3}[-–—]\s)\s{0,4}(?:(?:clearly|therefore|thus|definitely|option|choice|letter|the|answer)[ \t]{1,3}){0,3}/giu;
/** `I choose B`, `option B` */
const WEAK =
  /\b(?:choose|chose|pick|select|go with|option|choice|answer)[ \t]{1,3}(?:(?:option|choice|letter|answer)[ \t]{1,3})?/giu;
const BEHIND_CUE = new RegExp(LETTER, 'uy');
const CORRECT =
  /(?<![\p{L}\p{N}'-])([A-Z])[)\]]?\s{1,3}is\s{1,3}(?:the\s{1,3})?(?:correct|right|best)(?!\p{L})/gu;
const ALONE =
  /(?<![\p{Script=Latin}\p{N}'-])(?:[([]([A-Za-z])[)\]]|([A-Z])(?![\p{L}\p{N}'-])|([a-z])\)(?![\p{L}\p{N}]))/gu;

const VERB = String.raw`(?:is|isn't|are|was|would|can|cannot|does|has|seems|looks)\b`;
/** Words that say something of a letter; behind “A” other small words make it the article. */
const OF_LETTER = new RegExp(
  String.raw`^(?:${VERB}|(?:because|since|as|and|or|which|not|for|with|but|so|due|given|by|then|fits|works)\b)`,
);
const SAID_OF_IT = new RegExp(String.raw`^[)\]]?\s{1,3}${VERB}`);
/** Another letter that is joined to the one before it. */
const JOINED = new RegExp(
  String.raw`^[)\]]?(?:\s{0,3}(?:[,/&]|\b(?:or|and)\b)\s{0,3}(?:(?:or|and)\b\s{0,3})?|[ \t])[([]?([A-Z])(?![\p{L}\p{N}'-])(?!\s{1,3}${VERB})`,
  'u',
);
const NEGATED =
  /\b(?:not|isn't|rather than|instead of|except|neither|nor)\s{1,3}(?:option\s|choice\s)?[([]?$/iu;
const EXCLUDED =
  /^[)\]]?\s{1,3}(?:(?:is|are|was)\s{1,3}(?:not|wrong|incorrect|false|out|too)|isn't|cannot)\b/;
const ITEM = /^[ \t]*[([]?([A-Z])[).\]:][ \t]+\S/u;
const INLINE_ITEM = /(?<![\p{L}\p{N}'-])([A-Z])\)/gu;
const AROUND = 24;

interface Choice {
  readonly letter: string;
  /** The place behind it. */
  readonly end: number;
}
/** A letter, or that several are said. */
export type Said = Choice | 'several' | null;

/** Says whether a capital is the article or the pronoun, by what follows it. */
function isWord(letter: string, behind: string): boolean {
  const word = /^[ \t]{1,3}(\p{Ll}.{0,11})/u.exec(behind)?.[1];
  if (word === undefined) return false;
  return letter === 'I' || (letter === 'A' && !OF_LETTER.test(word));
}

export class Letters {
  private readonly text: string;
  private readonly among: string;

  /** `among` has the letters of the choices. */
  constructor(text: string, among: string) {
    this.text = text;
    this.among = among;
  }

  private behindOf({ end }: Choice): string {
    return this.text.slice(end, end + AROUND);
  }

  private choice([whole, bracketed, capital, small]: RegExpExecArray, start: number): Choice | null {
    const letter = (bracketed ?? capital ?? small ?? '').toUpperCase();
    const found = { letter, end: start + whole.length };
    if (letter === '' || !this.among.includes(letter)) return null;
    return capital !== undefined && isWord(letter, this.behindOf(found)) ? null : found;
  }

  private single(choice: Choice | null): Said {
    if (choice === null) return null;
    const behind = this.behindOf(choice);
    const [joined, other = ''] = JOINED.exec(behind) ?? [];
    const several =
      joined !== undefined &&
      other !== choice.letter &&
      this.among.includes(other) &&
      !isWord(other, behind.slice(joined.length));
    return several ? 'several' : choice;
  }

  private behindCue(cue: RegExp, counts: (choice: Choice) => boolean): Said {
    let last: Choice | null = null;
    for (const found of this.text.matchAll(cue)) {
      BEHIND_CUE.lastIndex = found.index + found[0].length;
      const at = BEHIND_CUE.lastIndex;
      const letter = BEHIND_CUE.exec(this.text);
      const choice = letter && this.choice(letter, at);
      if (choice !== null && counts(choice)) last = choice;
    }
    return this.single(last);
  }

  /** The letter behind the last words such as “the answer is”, or before “is correct”, or else behind “I choose”. */
  cued(): Said {
    const strong = this.behindCue(STRONG, () => true);
    if (strong !== null) return strong;
    const correct = Array.from(this.text.matchAll(CORRECT)).findLast(([, letter = '']) =>
      this.among.includes(letter),
    );
    if (correct !== undefined) return { letter: correct[1] ?? '', end: correct.index + 1 };
    return this.behindCue(WEAK, (choice) => !SAID_OF_IT.test(this.behindOf(choice)));
  }

  /** The letter that the text begins with: `B`, `(B) since`, `Option B`. */
  leading(): Said {
    const found = LEADING.exec(this.text);
    const choice = found && this.choice(found, 0);
    if (!choice || new Set(this.text.match(INLINE_ITEM)).size > 1) return null;
    const behind = this.behindOf(choice);
    const ends = /^(?:[)\].,;:!]|\s*$|\s*\n|\s{1,3}(?:because|since|as)\b)/u.test(behind);
    return (ends || /[)\]]$/.test(found[0])) && !SAID_OF_IT.test(behind) ? this.single(choice) : null;
  }

  /** The only letter in the last sentence that has one. */
  last(): Said {
    for (const sentence of this.text.split(/(?<=[.?!])\s|\n/).toReversed()) {
      const said = new Letters(sentence, this.among).alone();
      const [only] = said;
      if (only !== undefined) return said.every(({ letter }) => letter === only.letter) ? only : 'several';
    }
    return null;
  }

  private alone(): Choice[] {
    return Array.from(this.text.matchAll(ALONE)).flatMap((found) => {
      const before = this.text.slice(Math.max(0, found.index - AROUND), found.index);
      const choice = NEGATED.test(before) ? null : this.choice(found, found.index);
      return choice === null || EXCLUDED.test(this.behindOf(choice)) ? [] : [choice];
    });
  }
}

/** The text without a list of the choices, which says none of them. */
export function withoutList(text: string): string {
  const lines = text.split('\n');
  const items = new Set(lines.flatMap((line) => ITEM.exec(line)?.[1] ?? []));
  return items.size < 2 ? text : lines.filter((line) => !ITEM.test(line)).join('\n');
}
