/**
 * A secret that is bound to the server it was given for. Whoever makes a request asks the secret what to send, so an
 * address that comes from a file never decides where a secret goes. Nothing prints or stores a secret by accident,
 * because its text is private to the class.
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

  /** The origin of the server: `https://huggingface.co`. */
  get server(): string {
    return this.#origin;
  }

  /**
   * Returns the secret's text if `url` is an address of its server, and null for every other address, including the
   * same host under another scheme or port.
   */
  sentTo(url: string): string | null {
    return URL.canParse(url) && new URL(url).origin === this.#origin ? this.#text : null;
  }

  /** Returns `text` with the secret and its parts blotted out. */
  hiddenIn(text: string): string {
    return this.#parts.reduce((shown, part) => shown.replaceAll(part, '***'), text);
  }
}

/** Makes a secret, or undefined from an empty text. @throws TypeError if `server` is no address. */
export const secretOf = (text: string | undefined, server: string): Secret | undefined =>
  text === undefined || text.trim() === '' ? undefined : new Secret(text.trim(), server);
