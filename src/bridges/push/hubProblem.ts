/** Turns errors of the Hub's library, at files that are sent, into sentences that say what to do. */
import { HubApiError } from '@huggingface/hub';
import { messageOf } from '@rl-playground/base/errors';
import { BusyError, ModelFileError } from '@rl-playground/engine/parts';

/** The server's own words behind a colon; empty if it gave none, or a document. */
function wordsOf({ data, message }: HubApiError): string {
  const words: unknown = data?.['error'] ?? data?.['message'] ?? message;
  const readable = typeof words === 'string' && /^\s*[^<\s]/.test(words);
  return readable ? `: "${words.trim().replace(/\.$/, '').slice(0, 300)}"` : '';
}

/** A BusyError if another try may go well, else a ModelFileError. An error that is no answer of a server stays as it is. */
export function hubProblem(error: unknown, repo: string): unknown {
  if (error instanceof HubApiError) {
    const { statusCode: status } = error;
    const said = `the server answered ${status}${wordsOf(error)}`;
    if (status === 429 || status >= 500) return new BusyError(said);
    return new ModelFileError(`${repo}: ${said}. ${adviceFor(status, repo)}`, { cause: error });
  }
  // The library's XMLHttpRequest fails without a word.
  const broke = error instanceof TypeError || (error instanceof Error && error.message === '');
  return broke ? new BusyError(`the connection broke (${messageOf(error) || 'no answer'})`) : error;
}

function adviceFor(status: number, repo: string): string {
  const known: Readonly<Record<number, string>> = {
    401: 'The token is not known there or has expired. Give another one, with write access.',
    403: `The token may not write there: it needs write access, and its account must be ${repo.split('/')[0]} or belong to it.`,
    404: 'The repository is gone, or the token may not see it. Check its name and the token.',
    413: 'That is more than the server takes. Choose a smaller type of weights, or another server.',
  };
  return known[status] ?? 'Nothing in the repository was changed.';
}
