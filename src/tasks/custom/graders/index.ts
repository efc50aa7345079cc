import type { GraderKind, GraderSettings } from '../../define/definition.ts';
import { answerTagGrader, exactGrader, type Grader, boxedGrader, regexGrader } from './textGraders.ts';
import { multipleChoiceGrader, numberGrader } from './choiceAndNumber.ts';

/** All graders, in the order of the form's choice. */
export const GRADER_WORDS: Readonly<Record<GraderKind, { readonly label: string; readonly help: string }>> = {
  answer_tag: { label: 'Answer tag', help: 'The text between <answer> and </answer> must be the answer.' },
  number: {
    label: 'Number',
    help: 'The number between <answer> tags, or else the last number of the completion, may differ from the answer by a tolerance.',
  },
  boxed: { label: 'Boxed', help: 'The content of the last \\boxed{…} must be the answer, as mathematics.' },
  multiple_choice: {
    label: 'Multiple choice',
    help: 'The letter that the completion chooses must be the answer.',
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
