/** Names of models that are not on this machine: `org/name`, `org/name@revision`, or the URL of a folder. */

/** A repository of the Hugging Face Hub, or of a server that uses its paths. */
export interface HubAddress {
  readonly kind: 'hub';
  readonly repo: string;
  /** A branch, a tag or a commit; null for the default branch. */
  readonly revision: string | null;
}

/** A folder in Hugging Face layout on any server. */
export interface UrlAddress {
  readonly kind: 'url';
  /** The address, which ends with a slash. */
  readonly url: string;
}

export type ModelAddress = HubAddress | UrlAddress;

const REPOSITORY = /^([\w.-]+\/[\w.-]+?)(?:@([\w./-]+))?$/;
/** Characters that the Hub forbids in names, and parts with which a path could climb. */
const FORBIDDEN = /\.\.|--|\.git$|(^|\/)[.-]|[.-](\/|$)/;

/** Reads an address; null if the text is none. */
export function parseModelAddress(text: string): ModelAddress | null {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed)) {
    if (!URL.canParse(trimmed)) return null;
    const url = new URL(trimmed);
    url.hash = '';
    url.search = '';
    if (!url.pathname.endsWith('/')) url.pathname += '/';
    return { kind: 'url', url: url.href };
  }
  const [, repo, revision] = REPOSITORY.exec(trimmed) ?? [];
  if (repo === undefined || FORBIDDEN.test(repo) || revision?.includes('..') === true) return null;
  return { kind: 'hub', repo, revision: revision ?? null };
}

/** The text of an address that is shown and recorded. It reads back as the same address. */
export function addressText(address: ModelAddress): string {
  if (address.kind === 'url') return address.url;
  return address.revision === null ? address.repo : `${address.repo}@${address.revision}`;
}
