/** A text and a place in it, which a reader moves along. */
export class Scanner {
  protected at = 0;
  protected readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The character at this place; empty at the end. */
  protected peek(): string {
    return this.text.charAt(this.at);
  }

  /** Passes over `part` if it begins at this place, and says whether it does. */
  protected take(part: string): boolean {
    const found = this.text.startsWith(part, this.at);
    if (found) this.at += part.length;
    return found;
  }

  /** Passes over the match of a sticky pattern at this place; returns null if there is none. */
  protected match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at += match[0].length;
    return match;
  }
}
