/** Turns the errors of the Hub's library into words that say what to do, for files that are sent. */
import { HubApiError } from '@huggingface/hub';
import { messageOf } from '@rl-playground/base/errors';
import { BusyError, ModelFileError } from '@rl-playground/engine/parts';

/** The server's own words, after a colon; nothing if it gave none, or a document. */
function wordsOf({ data, message }: HubApiError): string {
  const words: unknown = data?.['error'] ?? data?.['message'] ?? message;
  const readable = typeof words === 'string' && /^\s*[^<\s]/.test(words);
  return readable ? `: "${words.trim().replace(/\.$/, '').slice(0, 300)}"` : '';
}

/**
 * The error for a repository `org/name`. It is a BusyError if another try may succeed; an error that is no answer of a server is returned
 * unchanged.
 */
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
  const [organization = ''] = repo.split('/');
  switch (status) {
    case 401:
      return 'The token is not known there or has expired. Give another one, with write access.';
    case 403:
      return `The token may not write there: it needs write access, and its account must be ${organization} or belong to it.`;
    case 404:
      return 'The repository is gone, or the token may not see it. Check its name and the token.';
    case 413:
      return 'That is more than the server takes. Choose a smaller type of weights, or another server.';
    default:
      return 'Nothing in the repository was changed.';
  }
}
