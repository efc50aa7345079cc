/**
 * Names of models that are not on this machine: `org/name`, `org/name@revision`, either with `:file.gguf` behind it, or the URL of a
 * folder or of a GGUF file.
 */

import { ggufNameOf } from '../ggufName.ts';
import type { ModelOrigin } from '../types.ts';

/** A repository of the Hugging Face Hub, or of a server that uses its paths. */
export interface HubAddress {
  readonly kind: 'hub';
  readonly repo: string;
  /** A branch, a tag or a commit; null for the default branch. */
  readonly revision: string | null;
  /** The GGUF file that is meant: its name, or the end of its name without `.gguf`, such as `Q4_K_M`; null for the repository's own model. */
  readonly file: string | null;
}

/** A folder in Hugging Face layout on any server, or a GGUF file there. */
export interface UrlAddress {
  readonly kind: 'url';
  /** The address, which ends with a slash if it is a folder. */
  readonly url: string;
}

export type ModelAddress = HubAddress | UrlAddress;

/** A repository, and behind it a revision and a file in either order. */
const REPOSITORY = /^([\w.-]+\/[\w.-]+?)(?:@([\w./-]+)(?::([\w.+ -]+))?|:([\w.+ -]+)(?:@([\w./-]+))?)?$/;
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
    if (!url.pathname.endsWith('/') && ggufNameOf(url.href) === null) url.pathname += '/';
    return { kind: 'url', url: url.href };
  }
  const found = REPOSITORY.exec(trimmed) ?? [];
  const repo = found[1];
  const revision = found[2] ?? found[5] ?? null;
  const file = found[3] ?? found[4] ?? null;
  if (repo === undefined || FORBIDDEN.test(repo)) return null;
  if (revision?.includes('..') === true) return null;
  return { kind: 'hub', repo, revision, file };
}

/** The text of an address that is shown and recorded. It reads back as the same address. */
export function addressText(address: ModelAddress): string {
  if (address.kind === 'url') return address.url;
  const { repo, revision, file } = address;
  return `${repo}${revision === null ? '' : `@${revision}`}${file === null ? '' : `:${file}`}`;
}

/** The address of an origin on the Hugging Face Hub itself; null for a folder and for another server. */
export function addressOnHub({ name, hubUrl }: ModelOrigin): HubAddress | null {
  const address = hubUrl === null ? parseModelAddress(name) : null;
  return address?.kind === 'hub' ? address : null;
}
