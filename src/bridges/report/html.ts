/** HTML as text. A template escapes all that it is given, except what came out of another template. */

/** Text that is markup; `markup` alone makes it. */
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

/** Text for an element or a quoted attribute. */
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

/** Takes the template's own words as markup, and everything in it as text. Attributes have to be quoted. */
export function markup(words: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(words.map((word, i) => word + textOf(parts[i] ?? null)).join(''));
}

/** A table; each row begins with its head. */
export function table(
  heads: readonly Part[],
  rows: readonly (readonly Part[])[],
  caption: string | null = null,
): Html {
  return markup`<div class="wide">
    <table>
      ${caption === null ? null : markup`<caption>${caption}</caption>`}
      <thead>
        <tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr>
      </thead>
      <tbody>
        ${rows.map(([head = null, ...cells]) => markup`<tr><th scope="row">${head}</th>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>`)}
      </tbody>
    </table>
  </div>`;
}
