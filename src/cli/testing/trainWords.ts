/** What command lines of `npx rl-playground train` come to, for tests. */
import { parseTrainArguments, type ResumeArguments, type TrainArguments } from '../trainArguments.ts';

function read(words: readonly string[]): TrainArguments | ResumeArguments {
  const result = parseTrainArguments(words);
  if ('exitCode' in result) throw new Error(result.text);
  return result;
}

/** Of a new run. @throws Error with the refusal. */
export function accepted(...words: string[]): TrainArguments {
  const result = read(words);
  if ('resume' in result) throw new Error('It goes on with a run.');
  return result;
}

/** Of one that is gone on with. @throws Error with the refusal. */
export function resuming(...words: string[]): ResumeArguments {
  const result = read(words);
  if ('resume' in result) return result;
  throw new Error('It begins a run.');
}

/** @throws Error where the words are fine. */
export function refused(...words: string[]) {
  const result = parseTrainArguments(words);
  if (!('exitCode' in result)) throw new Error('It was accepted.');
  return result;
}

/** What is asked where no trackers, no machines and no settings file are. */
export const ALONE = { track: [], join: null, modelFile: null };
