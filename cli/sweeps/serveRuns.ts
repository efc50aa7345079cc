/** A machine that takes whole runs of sweeps, and prints which. */
import { Runner, type RunnerNews, type RunnerParts } from '../../src/machines/sweepWork.ts';
import { makeAskedRun } from './runParcel.ts';
import { printLine, printProblem } from '../print.ts';

function print(news: RunnerNews): void {
  switch (news.kind) {
    case 'sweep':
      printLine(`Joined the sweep ${news.name}.`);
      return;
    case 'run':
      printLine(`Makes the run ${news.name}.`);
      return;
    case 'ended':
      printLine(`${news.name} ${news.error === null ? 'is done' : `failed: ${news.error}`}.`);
      return;
    case 'over':
      printLine(`Left the sweep ${news.name}.`);
      return;
    case 'trouble':
      printProblem(news.text);
  }
}

/** Resolves once `signal` says so. */
export const serveRuns = (
  parts: Pick<RunnerParts, 'connection' | 'name' | 'computation'>,
  signal: AbortSignal,
): Promise<void> => new Runner({ ...parts, make: makeAskedRun, onNews: print }).serve(signal);
