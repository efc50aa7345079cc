/**
 * The bounds of a template. A template comes with a model from anywhere and is a program: it can loop for ever, double a text thirty
 * times or ask for a list of a billion numbers, and it may do so for one conversation and not for those that it was tried with. So every
 * step and every character that it makes is counted. Time is not: a busy machine says nothing about a template.
 */
import { grouped } from '@rl-playground/base/text';

/** A template that does more than any conversation needs. The message is written for the user. */
export class TemplateLimitError extends Error {
  override readonly name = 'TemplateLimitError';

  constructor(what: string) {
    super(
      `The model's chat template ${what}. No conversation needs that; use the template of the original model, or take chat_template out of tokenizer_config.json and choose the renderer "role_colon".`,
    );
  }
}

/** The most steps of one rendering: a message takes some hundred. */
const MOST_STEPS = 1_000_000;
/** The most characters of a text, and the most values of a list. */
export const MOST_TEXT = 1_000_000;
/** The characters or values that are read, compared or copied in the time of one step. */
const A_STEP = 100;
/** The characters that are taken apart in the time of one step. */
const PARTED_A_STEP = 4;

/** The most macros and loops that call each other: Jinja2 itself ends a few levels further. */
const MOST_DEPTH = 190;

/** The steps of the rendering that goes on. One goes on at a time, since nothing in it waits. */
let steps = 0;
let depth = 0;

/** The names of the errors with which JavaScript ends what is too deep or too large; Firefox has the second. */
const OF_THE_ENGINE: readonly string[] = ['RangeError', 'InternalError'];

/** Runs one rendering and counts its steps. */
export function bounded<T>(run: () => T): T {
  steps = 0;
  depth = 0;
  try {
    return run();
  } catch (error) {
    if (!(error instanceof Error && OF_THE_ENGINE.includes(error.name))) throw error;
    const deep = /stack|recursion/i.test(error.message);
    throw new TemplateLimitError(deep ? 'calls itself too deeply' : 'makes a value that is too large');
  }
}

/** @throws TemplateLimitError after too many steps. */
export function spend(count = 1): void {
  steps += count;
  if (steps > MOST_STEPS)
    throw new TemplateLimitError(`takes more than ${grouped(MOST_STEPS)} steps for one text`);
}

/** Runs what may call itself. @throws TemplateLimitError if it does so too deeply. */
export function deeper<T>(run: () => T): T {
  depth++;
  if (depth > MOST_DEPTH) throw new TemplateLimitError('calls itself too deeply');
  const result = run();
  depth--;
  return result;
}

/** Counts the work of reading or making so many characters or values at once. @throws TemplateLimitError */
export function spendOn(size: number): void {
  if (size > MOST_TEXT)
    throw new TemplateLimitError(`makes a text or list of more than ${grouped(MOST_TEXT)} characters`);
  spend(size / A_STEP);
}

/** Counts the work of taking a text apart into its characters. @throws TemplateLimitError */
export function spendOnParts(length: number): void {
  spendOn(length);
  spend(length / PARTED_A_STEP);
}
