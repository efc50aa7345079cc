/** The repository to which files are sent, and the checks of its name and token. */
import type { Secret } from '@rl-playground/base/secret';
import { HUB_URL, parseModelAddress, ModelFileError } from '@rl-playground/engine/parts';

export interface PushTarget {
  /** The name, as in `org/name`. */
  readonly repo: string;
  /** True if a new repository is closed to others. */
  readonly isPrivate: boolean;
  /** A token with write access, for this server. */
  readonly secret: Secret;
  /** Another server that uses the Hub's paths. */
  readonly hubUrl?: string;
}

export const LONGEST_NAME = 96;

/** The reason why a text can't be the name of a repository; null for one that can. */
export function repositoryProblem(text: string): string | null {
  const address = parseModelAddress(text);
  if (address?.kind !== 'hub' || address.revision !== null)
    return `"${text}" is no repository. Write org/name: letters, digits, "-", "_" and "." on both sides of one slash, none of "-" and "." first, last or doubled.`;
  if (address.repo.length > LONGEST_NAME)
    return `The name has ${address.repo.length} characters; ${LONGEST_NAME} are the most.`;
  return null;
}

/** The reason why a text can't be a token; null for one that may be. */
export function tokenProblem(token: string): string | null {
  if (token.trim() === '') return 'A token with write access is needed.';
  return token.startsWith('hf_')
    ? null
    : 'The token begins otherwise than with "hf_", as those of the Hub do.';
}

/** The token for the target's server; empty if it was given for another one. */
export const tokenFor = ({ secret, hubUrl = HUB_URL }: PushTarget): string => secret.sentTo(hubUrl) ?? '';

/** @throws ModelFileError if name or token can't be right. */
export function checkTarget(target: PushTarget): void {
  const { repo, secret, hubUrl = HUB_URL } = target;
  const token = tokenFor(target);
  const elsewhere = `The token was given for ${secret.server}, and is not sent to ${hubUrl}. Give one for that server.`;
  const problem = repositoryProblem(repo) ?? (token === '' ? elsewhere : tokenProblem(token));
  if (problem !== null) throw new ModelFileError(problem);
}
