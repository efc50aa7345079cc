/** The tasks with scores in Python: functions of `python/*.py`, which may ask a library that has to be installed. */
import type { GraderKind, ScoringMode, Task } from '@rl-playground/tasks/parts';

/** Libraries by the names under which Python imports them. */
export const LIBRARIES = {
  reasoning_gym: { title: 'reasoning-gym', version: '0.1.25' },
  math_verify: { title: 'math-verify', version: '0.9.0' },
} as const;
export type LibraryName = keyof typeof LIBRARIES;

export const requirement = (name: LibraryName): string =>
  `${LIBRARIES[name].title}==${LIBRARIES[name].version}`;

export interface PythonGrader {
  /** The name of a function of `python/`. */
  readonly grade: string;
  /** The library that it asks; null for rules that are written out. */
  readonly library: LibraryName | null;
}

const written = (grade: string): PythonGrader => ({ grade, library: null });

const GRADERS: Readonly<Record<string, PythonGrader>> = {
  sum_digits: written('grade_sum_digits'),
  reverse_digits: written('grade_reverse_digits'),
  sum_digits_titan: written('grade_clean_digits'),
  tinker_arithmetic: written('grade_addition'),
  rpn_arithmetic: written('grade_rpn'),
  gsm8k: { grade: 'grade_boxed', library: 'math_verify' },
};

const OWN: Partial<Record<GraderKind, PythonGrader>> = {
  exact: written('grade_own_exact'),
  answer_tag: written('grade_own_answer_tag'),
  boxed: { grade: 'grade_own_boxed', library: 'math_verify' },
};

/** The grader of a task; null if its scores are not in Python. */
export function graderOf({ name, source, definition }: Task): PythonGrader | null {
  if (definition) return OWN[definition.grader.kind] ?? null;
  if (source === 'reasoning-gym') return { grade: 'grade_gym', library: 'reasoning_gym' };
  return (Object.hasOwn(GRADERS, name) ? GRADERS[name] : null) ?? null;
}

/** The libraries that the graders of these tasks ask, in a fixed order. */
export function librariesOf(tasks: readonly Task[]): LibraryName[] {
  const asked = new Set(tasks.map((task) => graderOf(task)?.library));
  return (Object.keys(LIBRARIES) as LibraryName[]).filter((name) => asked.has(name));
}

/** True if a reward in Python equals the one here to the last digit. */
export const paysAlike = ({ library }: PythonGrader, mode: ScoringMode): boolean =>
  library === null || (library === 'reasoning_gym' && mode === 'upstream');

/** The reason why a task can't be handed over, and what to do; null for one that can. */
export function refusal(task: Task): string | null {
  if (graderOf(task) !== null) return null;
  if (task.definition)
    return `The task ${task.name} is scored by ${task.definition.grader.kind === 'code' ? 'a program of your own' : `the grader "${task.definition.grader.kind}"`}, which is not written in Python here. Its rows are in own_tasks.json of a checkpoint; write its reward beside them, or choose the grader exact, answer_tag or boxed.`;
  return `The task ${task.name} can’t be handed over: its score is not written in Python. Hand over a run with another task, or add the score to src/bridges/handoff/python.`;
}

/** The tasks whose answers reasoning-gym evaluates as expressions of Python. */
const EVALUATED = ['string_insertion', 'spiral_matrix', 'countdown', 'puzzle24'];

/** The notes of a list whose condition holds. */
export const applying = (notes: readonly (readonly [holds: boolean, note: string])[]): string[] =>
  notes.flatMap(([holds, note]) => (holds ? [note] : []));

/** The differences between rewards in Python and here, for `not_carried.md`. */
export function rewardNotes(tasks: readonly Task[], mode: ScoringMode): string[] {
  const named = (part: readonly Task[]): string => [...new Set(part.map(({ name }) => name))].join(', ');
  const by = (library: LibraryName): Task[] => tasks.filter((task) => graderOf(task)?.library === library);
  const [gym, mathematics] = [by('reasoning_gym'), by('math_verify')];
  const evaluated = gym.filter(({ name }) => EVALUATED.includes(name));
  return applying([
    [
      gym.length > 0 && mode === 'strict',
      `The accuracy of ${named(gym)} is reasoning-gym’s own score there. This run’s scoring is strict: what reasoning-gym pays to an answer that only holds the right one, or is near it, earns nothing here, and some right answers in another form are told otherwise. The format of an answer is paid as here.`,
    ],
    [
      evaluated.length > 0,
      `reasoning-gym evaluates answers to ${named(evaluated)} as expressions of Python, so that an answer may run code. Run the reward where that does no harm.`,
    ],
    [
      mathematics.length > 0,
      `Answers in a box (${named(mathematics)}) are compared by math-verify there, and here exactly, or under upstream scoring of GSM8K by the Tinker cookbook’s rules. A fraction in other than lowest terms (2/4 for 1/2) is right there and wrong here; a number with a sign or a word after it that is no unit may be told otherwise.`,
    ],
  ]);
}
