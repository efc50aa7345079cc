/** The page's sandboxes: one for runs, one for trying out, so that typing never waits behind a run's answers. */
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { Outcome } from '../../sandbox/outcome.ts';
import { itemJson, scoreProgram } from '../../sandbox/scoreProgram.ts';
import type { ScoreProgram } from '../../tasks/custom/customTask.ts';
import type { ScoredItem } from '../../tasks/types.ts';

let forRuns: Sandbox | null = null;
let forTrying: Sandbox | null = null;

/** Scores a run's answers. */
export const runProgram: ScoreProgram = (source, items) =>
  scoreProgram((forRuns ??= createSandbox()))(source, items);

/** Scores one answer, with what the program wrote to its console. */
export async function tryProgram(source: string, item: ScoredItem): Promise<Outcome> {
  const [outcome] = await (forTrying ??= createSandbox()).score(source, [itemJson(item)]);
  return outcome ?? { error: 'The program gave no result.', logs: [] };
}
