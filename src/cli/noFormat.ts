/** The warning that nothing in a run's first answers has the format that is paid, with what was looked for, or that they give nothing to learn from. */
import type { EvalResult, Rollout } from '@rl-playground/run/loop';
import type { StepMetrics } from '@rl-playground/run/metrics';
import type { RunConfig } from '@rl-playground/run/settings';
import { quotedLine } from './graderWords.ts';
import { CUSTOM_PREFIX, findTask } from '@rl-playground/tasks/parts';

/** An answer, with what its reward says. */
interface JudgedAnswer {
  readonly question: string;
  readonly text: string;
  /** The right answer. */
  readonly answer: string;
  readonly reason: string;
}

/** The first answers of a run. */
interface FirstAnswers {
  readonly count: number;
  /** The share in the right format. */
  readonly format: number;
  /** True if none is right and all answers to a problem earn the same. */
  readonly hopeless: boolean;
  readonly example: JudgedAnswer;
}

/** An answer of a step, as programs hear of it. */
export interface StepAnswer extends Pick<Rollout, 'question' | 'text' | 'reward'> {
  readonly problem: Pick<Rollout['problem'], 'answer'>;
}

/** The answers of the evaluation before the first step; null of a later one. */
const ofEvaluation = ({ step, n, format, samples: [first] }: EvalResult): FirstAnswers | null =>
  step > 0 || first === undefined
    ? null
    : { count: n, format, hopeless: false, example: { ...first, reason: first.reward?.reason ?? '' } };

/** The answers of the first step, one of which is `rollout`; null of a later one. */
function ofStep(
  { step, completions, format, accuracy, fracMixed }: StepMetrics,
  rollout: StepAnswer | undefined,
): FirstAnswers | null {
  if (step > 1 || rollout === undefined) return null;
  const { question, text, problem, reward } = rollout;
  const example = { question, text, answer: problem.answer, reason: reward.reason };
  const hopeless = accuracy === 0 && fracMixed === 0;
  return { count: completions ?? 0, format, hopeless, example };
}

/** Names the pattern that the grader of an own task looks for; null where the reason of the answer says what is missing. */
function looksFor({ task }: RunConfig, { answer }: JudgedAnswer): string | null {
  const grader = findTask(task)?.definition?.grader;
  if (grader?.kind !== 'regex') return null;
  return grader.pattern === ''
    ? `The grader looked for the row's own answer as a pattern, here ${quotedLine(answer)}.`
    : `The grader looked for the pattern ${quotedLine(grader.pattern)}.`;
}

function advice({ task, warmStartSteps, maxTokens }: RunConfig): string {
  const grader = findTask(task)?.definition?.grader;
  // A pattern of a row is no answer that a model could be shown.
  const canShow = warmStartSteps === 0 && !(grader?.kind === 'regex' && grader.pattern === '');
  const ways = [
    ...(task.startsWith(CUSTOM_PREFIX) ? ['tell the model the format (--system-prompt)'] : []),
    `allow longer answers (max_tokens, ${maxTokens} now)`,
    ...(canShow ? ['show the model worked answers first (warmStartSteps=60)'] : []),
    ...(task.startsWith(CUSTOM_PREFIX) ? ['choose another grader'] : []),
  ].join(', or ');
  return `${ways.charAt(0).toUpperCase()}${ways.slice(1)}.`;
}

const MOST_SHOWN = 300;
const shown = (text: string): string =>
  (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text).replace(/^/gm, '    ');

/** Says what may help where no answer earns what another does not. */
const HELP =
  'No reward, nothing to learn from: ask easier problems (the task’s settings), choose a task that the model knows a little (--task instructions), or show it worked answers first (warmStartSteps=60).';

/** The warning, or null where there is something to learn from. */
function firstText(config: RunConfig, { count, format, hopeless, example }: FirstAnswers): string | null {
  if (format > 0 && !hopeless) return null;
  const looked = looksFor(config, example);
  const said =
    format > 0
      ? `is right, and all answers to a problem earn the same. ${HELP}`
      : `has the right format.${looked === null ? '' : ` ${looked}`} ${advice(config)}`;
  return [
    `warning: none of the first ${count} answers ${said} One of them:`,
    `  ${example.question}`,
    shown(example.text),
    `  → ${example.reason} The right answer: ${example.answer}`,
  ].join('\n');
}

/** Says the warning once: of the evaluation before the first step, or of that step. */
export function formatWatch(config: RunConfig, say: (text: string) => void) {
  let said = false;
  return (
    metrics: readonly StepMetrics[],
    evaluations: readonly EvalResult[],
    [rollout]: readonly StepAnswer[],
  ): void => {
    const first = [...evaluations.map(ofEvaluation), ...metrics.map((each) => ofStep(each, rollout))].filter(
      (answers) => answers !== null,
    );
    for (const answers of first) {
      const text = said ? null : firstText(config, answers);
      if (text === null) continue;
      said = true;
      say(text);
    }
  };
}
