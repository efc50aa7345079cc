/**
 * Secrets, each bound to the server that it was given for. Whoever makes a request asks the secret what goes with it, so an address that a file
 * brings never decides where one is sent. Nothing prints or stores one by accident: its text is private to the class.
 */
export class Secret {
  readonly #text: string;
  readonly #origin: string;
  readonly #parts: readonly string[];

  /**
   * @param server an address of the server that its owner named it for; the origin counts.
   * @param parts of it that are secret by themselves, such as the password in a header.
   * @throws TypeError where `server` is no address.
   */
  constructor(text: string, server: string, parts: readonly string[] = []) {
    this.#text = text;
    this.#origin = new URL(server).origin;
    this.#parts = [text, ...parts].filter((part) => part !== '');
  }

  /** The server that it goes to, as an origin: `https://huggingface.co`. */
  get server(): string {
    return this.#origin;
  }

  /** Its text where `url` is an address of that server; null for every other one, also for the same host under another scheme or port. */
  sentTo(url: string): string | null {
    return URL.canParse(url) && new URL(url).origin === this.#origin ? this.#text : null;
  }

  /** A text without it. */
  hiddenIn(text: string): string {
    return this.#parts.reduce((shown, part) => shown.replaceAll(part, '***'), text);
  }
}

/** None for an empty text. @throws TypeError where `server` is no address. */
export const secretOf = (text: string | undefined, server: string): Secret | undefined =>
  text === undefined || text.trim() === '' ? undefined : new Secret(text.trim(), server);
