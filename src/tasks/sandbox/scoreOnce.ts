/** The score of one completion where there are no workers, as under Node: the same interpreter and limits as in the page. */
import { loadQuickJs, scoreWith, stripTypes } from './interpreter.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { Outcome } from './outcome.ts';

/**
 * Scores `item`, JSON of `problem` and `completion`, by a program as its user wrote it; `quickJs` is the interpreter.
 *
 * @throws Error with line, column and a mark if the program can't be read.
 */
export async function scoreOnce(source: string, item: string, quickJs: WebAssembly.Module): Promise<Outcome> {
  const program = await stripTypes(source);
  return scoreWith(await loadQuickJs(quickJs), program, item, DEFAULT_LIMITS).outcome;
}
