/** Tries readers and graders of answers on hostile texts: they must not throw, give unsound scores, or take too long. */
import { lastWithoutCommas } from '../arithmetic.ts';
import { extractDigits as extractInteger } from '../digitAnswer.ts';
import { gsm8kTask, gsm8kFinalAnswer } from '../gsm8k.ts';
import { extractAnswer, formFault, tagShare } from '../gym/shared/answerTag.ts';
import type { GymTask } from '../gym/shared/define.ts';
import { GYM_TASKS } from '../gym/index.ts';
import { TASKS } from '../allTasks.ts';
import { boxedAnswer, sameAnswer } from '../math/boxedAnswer.ts';
import { extractBoxed, gradeAnswer } from '../math/cookbookReward.ts';
import { readWhole } from '../math/reading.ts';
import { graderOf } from '../custom/graders/index.ts';
import { GRADER_DEFAULTS } from '../define/definition.ts';
import { latexToText } from '../math/latexText.ts';
import { drawsFor } from '@rl-playground/base/random';
import { SCORING_MODES, type Problem, type ScoringMode, type Task } from '../define/types.ts';
import { hostileText, HUGE, repeatedTexts } from '@rl-playground/base/testing/hostileText';
import { isLinear, processorMilliseconds } from '@rl-playground/base/testing/processorTime';
import '../gym/words/wordData.ts';

/** Longest that one text may take, in milliseconds of computing. */
export const LONGEST = 50;
/** Problems of each task that texts are graded for. */
const PROBLEMS = 20;
const STREAM = 0xf22;

export interface FuzzTarget {
  readonly name: string;
  /** Right answers, from which texts are made that are nearly right. */
  readonly answers: readonly string[];
  /** Reads or grades `text` for the `index`-th answer. Throws, or says what is wrong with the outcome. */
  run(text: string, index: number): string | null;
}

export interface FuzzResult {
  readonly name: string;
  readonly texts: number;
  readonly throws: number;
  /** The faults with their texts, shortened. */
  readonly faults: readonly string[];
  /** Milliseconds of the slowest text, the quickest of several tries. */
  readonly worst: number;
  readonly worstText: string;
}

/** A mistake of the program, never something that upstream raises. */
function isOwnMistake(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof SyntaxError ||
    error instanceof ReferenceError
  );
}

function scoreFault(score: number, mode: ScoringMode): string | null {
  if (!Number.isFinite(score)) return `the score is ${score}`;
  return mode === 'strict' && (score < 0 || score > 1) ? `the score is ${score}, not 0 to 1` : null;
}

function problemsOf(task: Task): Problem[] {
  return Array.from({ length: PROBLEMS }, (_, i) => task.generate(STREAM, 'eval', i, task.defaults));
}

function gymTarget(task: GymTask, mode: ScoringMode): FuzzTarget {
  const problems = problemsOf(task);
  return {
    name: `${task.name} ${mode}`,
    answers: problems.map(({ answer }) => answer),
    run(text, index) {
      const { question, answer, data } = problems[index] ?? { question: '', answer: '', data: null };
      try {
        return scoreFault(task.grade({ question, answer, metadata: data }, text, mode), mode);
      } catch (error) {
        // Where upstream raises, so does this mode.
        if (mode === 'upstream' && !isOwnMistake(error)) return null;
        throw error;
      }
    },
  };
}

/** A whole completion; nothing may be thrown in either mode, since a run would end. */
function completionTarget(task: Task, mode: ScoringMode): FuzzTarget {
  const problems = problemsOf(task);
  return {
    name: `${task.name} completions ${mode}`,
    answers: problems.map((problem) => task.workedAnswer(problem)),
    run(text, index) {
      const problem = problems[index];
      if (problem === undefined) return null;
      const completion = { text, tokens: [], stopReason: 'stop' as const };
      const { total, parts } = task.score(problem, completion, { mode, config: task.defaults });
      const sum = Object.values(parts).reduce((all, part) => all + part, 0);
      const sound = Number.isFinite(total) && Math.abs(total - sum) <= 1e-9;
      return sound ? null : `the total is ${total} and its parts sum to ${sum}`;
    },
  };
}

function reader(name: string, answers: readonly string[], read: (text: string) => unknown): FuzzTarget {
  return {
    name,
    answers,
    run(text) {
      read(text);
      return null;
    },
  };
}

/** A grader of rows of one's own: what it takes for a gold is right when it is written back. */
function ownTarget(
  kind: 'number' | 'multiple_choice' | 'boxed' | 'answer_tag',
  golds: readonly string[],
): FuzzTarget {
  const grader = graderOf(GRADER_DEFAULTS[kind]);
  return {
    name: `own ${kind}`,
    answers: golds,
    run(text, index) {
      const gold = golds[index] ?? '';
      const { correct, extracted } = grader.grade(text, gold);
      if (correct && extracted === null) return `${gold} is right where nothing was read`;
      if (text === '' || grader.answerError(text) !== null) return null;
      return grader.grade(grader.worked(text), text).correct
        ? null
        : 'its own gold is wrong when written back';
    },
  };
}

function readers(): FuzzTarget[] {
  const golds = [
    '42',
    '-7',
    '1,234,567',
    '\\frac{1}{2}',
    '3.5',
    '(1, 2)',
    '\\sqrt{2}',
    'x^2+1',
    '7\\frac{3}{4}',
    '2\\pi',
  ];
  return [
    reader('integer of digit tasks', ['[ANSWER] 28', 'so 1 + 2 = 3'], extractInteger),
    reader('last integer', ['12', '1,234'], lastWithoutCommas),
    reader('answer tag', ['<answer>a</answer>', '<answer> b </answer> c'], (text) => {
      for (const strip of [true, false]) extractAnswer(text, 'answer', strip);
      return [formFault(text) === null, tagShare(text)];
    }),
    reader('box', ['\\boxed{42}', '\\boxed 42'], extractBoxed),
    reader('exact box', ['\\boxed{42}', '\\boxed 42'], boxedAnswer),
    reader('value of a text', golds, readWhole),
    ownTarget('number', ['42', '-1,234.5', '3/4', '2 1/2', '3 × 10^8', '50 %', '12:30', '1331 and 1728']),
    ownTarget('multiple_choice', ['B', '(C)', 'A']),
    ownTarget('boxed', golds),
    ownTarget('answer_tag', ['Oslo', '$1,234.50']),
    reader('LaTeX', golds, latexToText),
    reader('final answer of GSM8K', ['so\n#### 18', '####: 1,000'], gsm8kFinalAnswer),
    {
      name: 'mathematical answer',
      answers: golds,
      run(text, index) {
        const gold = golds[index] ?? '';
        gradeAnswer(text, gold);
        sameAnswer(text, gold);
        return gradeAnswer(gold, gold) === null || !sameAnswer(gold, gold)
          ? `${gold} does not equal itself`
          : null;
      },
    },
  ];
}

function withRows(task: Task): Task {
  if (task.name !== 'gsm8k') return task;
  const loaded = gsm8kTask();
  const row = (i: number) => ({
    question: `How much is ${i} times 7?`,
    answer: `${i} * 7 = ${i * 7}\n#### ${i * 7}`,
  });
  loaded.dataset?.provide({
    train: Array.from({ length: PROBLEMS }, (_, i) => row(i)),
    test: Array.from({ length: PROBLEMS }, (_, i) => row(i + PROBLEMS)),
  });
  return loaded;
}

/** All targets. */
export function fuzzTargets(): FuzzTarget[] {
  return [
    ...readers(),
    ...GYM_TASKS.flatMap((task) => SCORING_MODES.map((mode) => gymTarget(task, mode))),
    ...TASKS.map(withRows).flatMap((task) => SCORING_MODES.map((mode) => completionTarget(task, mode))),
  ];
}

function shortened(text: string): string {
  const shown = JSON.stringify(text.slice(0, 80));
  return text.length > 80 ? `${shown}… (${text.length} characters)` : shown;
}

/** Runs a text, and says what is wrong with its outcome or what it throws. */
function faultOf(target: FuzzTarget, text: string, index: number): string | null {
  try {
    return target.run(text, index);
  } catch (error) {
    return `throws ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
}

/** Milliseconds of computing that a text takes: the least of three tries, and not the wait for others on the machine. */
function timeAgain(target: FuzzTarget, text: string, index: number): number {
  const times = [1, 2, 3].map(() => {
    const before = processorMilliseconds();
    faultOf(target, text, index);
    return processorMilliseconds() - before;
  });
  return Math.min(...times);
}

interface FuzzText {
  readonly text: string;
  /** The index of the answer that it belongs to. */
  readonly index: number;
}

const tagged = (text: string): string => `<answer>${text}</answer>`;

/** Chooses repetitions by their places. */
export type Chosen = (place: number) => boolean;
const everyOne: Chosen = () => true;

/**
 * Runs repetitions of `length` and 4 × `length` characters, bare and between tags. It describes those whose outcome is wrong, that take
 * longer than `longest`, or that take more than linear time.
 */
export function faultsOfRepetitions(
  target: FuzzTarget,
  length: number,
  longest = LONGEST,
  chosen = everyOne,
): string[] {
  const faults = new Set<string>();
  const read = (text: string): void => {
    const start = performance.now();
    const fault = faultOf(target, text, 0);
    if (fault !== null) faults.add(`${fault}: ${shortened(text)}`);
    if (performance.now() - start > longest && timeAgain(target, text, 0) > longest)
      faults.add(`takes more than ${longest} ms: ${shortened(text)}`);
  };
  const longer = repeatedTexts(4 * length, chosen);
  for (const [i, short] of repeatedTexts(length, chosen).entries()) {
    const long = longer[i] ?? '';
    const make = (size: number): string => (size === length ? short : long);
    if (!isLinear(make, read, length)) faults.add(`takes more than linear time: ${shortened(long)}`);
    if (!isLinear((size) => tagged(make(size)), read, length))
      faults.add(`takes more than linear time: ${shortened(tagged(long))}`);
  }
  return [...faults];
}

/** Repetitions of `huge` characters, bare and between tags, then `count` texts that `seed` decides. */
function* textsFor(
  { answers }: FuzzTarget,
  count: number,
  seed: number,
  huge: number,
  chosen: Chosen,
): Generator<FuzzText> {
  for (const text of repeatedTexts(huge, chosen)) {
    yield { text, index: 0 };
    yield { text: tagged(text), index: 0 };
  }
  for (let i = 0; i < count; i++) {
    const draw = drawsFor(STREAM, seed, i);
    const index = Math.floor(draw() * answers.length);
    yield { text: hostileText(draw, answers[index] ?? ''), index };
  }
}

/** Runs repetitions of `huge` characters and `count` other texts; at most 10 faults are described. */
export function fuzz(
  target: FuzzTarget,
  count: number,
  seed: number,
  huge = HUGE,
  longest = LONGEST,
  chosen = everyOne,
): FuzzResult {
  const faults: string[] = [];
  let [texts, throws, worst, worstText] = [0, 0, 0, ''];
  const note = (what: string, text: string) => {
    if (faults.length < 10) faults.push(`${what}: ${shortened(text)}`);
  };
  for (const { text, index } of textsFor(target, count, seed, huge, chosen)) {
    texts++;
    const start = performance.now();
    try {
      const fault = target.run(text, index);
      if (fault !== null) note(fault, text);
    } catch (error) {
      throws++;
      note(`throws ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`, text);
    }
    let time = performance.now() - start;
    if (time <= worst) continue;
    time = Math.min(time, timeAgain(target, text, index));
    if (time <= worst) continue;
    [worst, worstText] = [time, shortened(text)];
    if (worst > longest) note(`takes ${worst.toFixed(0)} ms`, text);
  }
  return { name: target.name, texts, throws, faults, worst, worstText };
}
