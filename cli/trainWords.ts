/** What command lines of `npm run train` come to, for tests. */
import { parseTrainArguments } from './trainArguments.ts';

/** @throws Error with the refusal. */
export function accepted(...words: string[]) {
  const result = parseTrainArguments(words);
  if ('exitCode' in result) throw new Error(result.text);
  return result;
}

/** @throws Error where the words are fine. */
export function refused(...words: string[]) {
  const result = parseTrainArguments(words);
  if (!('exitCode' in result)) throw new Error('It was accepted.');
  return result;
}
