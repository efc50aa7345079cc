/** HTML as text that can't become markup: every part of a template is escaped, unless it came out of a template itself. */

/** A piece of HTML, which only `markup` makes. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | null | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The picture of a control character that a file may not hold; tabs and ends of lines stay. */
function pictureOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if ('\t\n\r'.includes(character)) return character;
  return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '\ufffd';
}

/** Text as HTML shows it, in an element or a quoted attribute. */
export function escaped(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replaceAll(/\p{Cc}/gu, pictureOf);
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  return typeof part === 'object' ? part.map(textOf).join('') : escaped(String(part));
}

/** Makes HTML: the template's own words are markup, and everything in it is text. Attributes have to be quoted. */
export function markup(words: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(words.map((word, i) => word + textOf(parts[i] ?? null)).join(''));
}
