/** A machine that takes whole runs of sweeps, and prints which. */
import { Runner, type RunnerNews, type RunnerParts } from '../../src/machines/sweepWork.ts';
import { makeAskedRun } from './runParcel.ts';

function print(news: RunnerNews): void {
  switch (news.kind) {
    case 'sweep':
      console.log(`Joined the sweep ${news.name}.`);
      return;
    case 'run':
      console.log(`Makes the run ${news.name}.`);
      return;
    case 'ended':
      console.log(`${news.name} ${news.error === null ? 'is done' : `failed: ${news.error}`}.`);
      return;
    case 'over':
      console.log(`Left the sweep ${news.name}.`);
      return;
    case 'trouble':
      console.error(news.text);
  }
}

/** Resolves once `signal` says so. */
export const serveRuns = (
  parts: Pick<RunnerParts, 'connection' | 'name' | 'computation'>,
  signal: AbortSignal,
): Promise<void> => new Runner({ ...parts, make: makeAskedRun, onNews: print }).serve(signal);
