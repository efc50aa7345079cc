import type { GraderKind, GraderSettings } from '../../define/definition.ts';
import { answerTagGrader, exactGrader, type Grader, boxedGrader, regexGrader } from './textGraders.ts';
import { multipleChoiceGrader } from './multipleChoice.ts';
import { numberGrader } from './number.ts';

/** All graders, in the order of the form's choice. */
export const GRADER_WORDS: Readonly<Record<GraderKind, { readonly label: string; readonly help: string }>> = {
  answer_tag: {
    label: 'Answer tag',
    help: 'The text between <answer> and </answer> must be the answer; a number may be written otherwise, as 5.0 or $5.',
  },
  number: {
    label: 'Number',
    help: 'The number between <answer> tags, in a box, or else the last of the completion must have the answer’s value, exactly or within a tolerance. A piece of an expression is no number.',
  },
  boxed: {
    label: 'Boxed',
    help: 'The content of the last \\boxed{…} must be the answer, as mathematics: numbers of any length by their exact value.',
  },
  multiple_choice: {
    label: 'Multiple choice',
    help: 'The letter that the completion chooses must be the answer. Where it names several, it chooses none.',
  },
  exact: { label: 'Exact', help: 'The whole completion must be the answer.' },
  regex: {
    label: 'Regular expression',
    help: 'What a pattern finds must be the answer; or each row’s answer is itself a pattern.',
  },
  code: { label: 'Program', help: 'A function score(problem, completion) of your own decides.' },
};

/** The grader that `settings` describe. A program has none here: it is scored in a sandbox. */
export function graderOf(settings: Exclude<GraderSettings, { kind: 'code' }>): Grader {
  if (settings.kind === 'exact') return exactGrader(settings);
  if (settings.kind === 'number') return numberGrader(settings);
  if (settings.kind === 'boxed') return boxedGrader();
  if (settings.kind === 'multiple_choice') return multipleChoiceGrader(settings);
  return settings.kind === 'regex' ? regexGrader(settings) : answerTagGrader(settings);
}
