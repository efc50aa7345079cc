/** Reads command lines of `npx rl-playground train`, for tests. */
import { parseTrainArguments, type ResumeArguments, type TrainArguments } from '../trainArguments.ts';

function read(words: readonly string[]): TrainArguments | ResumeArguments {
  const result = parseTrainArguments(words);
  if ('exitCode' in result) throw new Error(result.text);
  return result;
}

/** The arguments of a new run. @throws Error with the refusal. */
export function accepted(...words: string[]): TrainArguments {
  const result = read(words);
  if ('resume' in result) throw new Error('It goes on with a run.');
  return result;
}

/** The arguments of a run that is continued. @throws Error with the refusal. */
export function resuming(...words: string[]): ResumeArguments {
  const result = read(words);
  if ('resume' in result) return result;
  throw new Error('It begins a run.');
}

/** @throws Error if the words are fine. */
export function refused(...words: string[]) {
  const result = parseTrainArguments(words);
  if (!('exitCode' in result)) throw new Error('It was accepted.');
  return result;
}

/** The arguments without trackers, machines and a settings file. */
export const ALONE = { track: [], join: null, modelFile: null, rewardModelFile: null };
