/** The parts of the tasks that other packages of this repository use beside the API (`index.ts`). They are not published and may change. */
export * from './allTasks.ts';
export { arithmetic, lastWithoutCommas } from './arithmetic.ts';
export * from './custom/columns.ts';
export { customTask, customTaskErrors, gradeText, type ScoreProgram } from './custom/customTask.ts';
export * from './define/definition.ts';
export { GRADER_WORDS } from './custom/graders/index.ts';
export { linkedText, tasksOfLinkedText } from './custom/linkedTasks.ts';
export * from './custom/readRows.ts';
export * from './custom/readTable.ts';
export { isUsual } from './custom/usualNames.ts';
export { scoreItems, taskConfigErrors } from './define/define.ts';
export { ANSWER_TAG, extractDigits, scoreDigits } from './digitAnswer.ts';
export { fieldError, type TaskField } from './define/fields.ts';
export { gsm8k, gsm8kFinalAnswer } from './gsm8k.ts';
export { GYM_TASKS } from './gym/index.ts';
export { extractAnswer } from './gym/shared/answerTag.ts';
export { sameAnswer } from './math/boxedAnswer.ts';
export { type EqualBy, extractBoxed, gradeAnswer, gradeMath } from './math/cookbookReward.ts';
export { normalizeLatex, normalizePlain, tupleElements } from './math/normalForms.ts';
export { reverseDigits } from './reverseDigits.ts';
export { rpnArithmetic } from './rpn/rpnArithmetic.ts';
export { rpnIds, rpnVocabularyOf } from './rpn/vocabulary.ts';
export type { Outcome } from './sandbox/outcome.ts';
export { createSandbox, itemJson, rewardOf, type Sandbox, scoreProgram } from './sandbox/sandbox.ts';
export {
  FAMILY_MODELS,
  GYM_MODEL,
  SHORT_LISTS_MODEL,
  SHORT_MODEL,
  SHORT_TERMS_MODEL,
} from './define/starters.ts';
export { scoreCleanDigits, sumDigits } from './sumDigits.ts';
export { type AskedTask, taskFor } from './taskFor.ts';
export * from './define/types.ts';
