/** Which tasks have their scores in Python, and by what names of `python/*.py`. */
import type { GraderKind, ScoringMode, Task } from '@rl-playground/tasks/parts';

interface PythonGrader {
  /** A function of `python/`. */
  readonly grade: string;
  /** Under `grade_tagged`, which of SCORES. */
  readonly score?: string;
  /** That it has; the rest is refused. */
  readonly modes: readonly ScoringMode[];
}

const BOTH = ['strict', 'upstream'] as const;
const STRICT = ['strict'] as const;

const tagged = (score: string, modes: PythonGrader['modes']): PythonGrader => ({
  grade: 'grade_tagged',
  score,
  modes,
});

/** reasoning-gym's tasks by the score that they share. */
const SHARED: readonly (readonly [score: string, modes: PythonGrader['modes'], tasks: string])[] = [
  [
    'text',
    BOTH,
    `simple_equations base_conversion count_bits count_primes gcd lcm leg_counting course_schedule largest_island maze
    binary_alternation syllogism number_sequence caesar_cipher isomorphic_strings ransom_note string_manipulation word_sequence_reversal`,
  ],
  ['text', STRICT, 'self_reference'],
  ['text', ['upstream'], 'basic_arithmetic letter_counting'],
  ['exactly', ['upstream'], 'self_reference'],
  ['decimal', BOTH, 'chain_sum products'],
  ['decimal', STRICT, 'basic_arithmetic letter_counting'],
  ['stripped', STRICT, 'string_insertion'],
  ['folded', BOTH, 'family_relationships'],
  ['cube', BOTH, 'color_cube_rotation'],
  ['needle', BOTH, 'needle_haystack'],
  ['lines', BOTH, 'zebra_puzzles'],
  ['dice', BOTH, 'dice'],
  ['calendar', STRICT, 'calendar_arithmetic'],
  ['time', STRICT, 'time_intervals'],
  ['matrix', STRICT, 'rotate_matrix'],
  ['spiral', STRICT, 'spiral_matrix'],
  ['probability', STRICT, 'coin_flip'],
  ['factors', STRICT, 'prime_factorization'],
  ['fraction', STRICT, 'fraction_simplification'],
  ['backward', BOTH, 'spell_backward'],
  ['order', BOTH, 'sentence_reordering'],
  ['sorted_words', BOTH, 'word_sorting'],
  ['board', STRICT, 'mini_sudoku sudoku'],
  ['roles', BOTH, 'knights_knaves'],
  ['lock', BOTH, 'quantum_lock'],
  ['path', BOTH, 'shortest_path'],
  ['list', BOTH, 'number_filtering'],
  ['sorted_numbers', STRICT, 'number_sorting'],
  ['groups', STRICT, 'group_anagrams'],
  ['bits', BOTH, 'bitwise_arithmetic'],
  ['number_format', STRICT, 'number_format'],
  ['countdown', STRICT, 'countdown'],
  ['24', STRICT, 'puzzle24'],
  ['palindrome', STRICT, 'palindrome_generation'],
];

const GRADERS: Readonly<Record<string, readonly PythonGrader[]>> = {
  sum_digits: [{ grade: 'grade_sum_digits', modes: BOTH }],
  reverse_digits: [{ grade: 'grade_reverse_digits', modes: BOTH }],
  sum_digits_titan: [{ grade: 'grade_clean_digits', modes: BOTH }],
  tinker_arithmetic: [{ grade: 'grade_addition', modes: BOTH }],
  rpn_arithmetic: [{ grade: 'grade_rpn', modes: BOTH }],
  gsm8k: [{ grade: 'grade_boxed', modes: BOTH }],
};

const OWN: Partial<Record<GraderKind, string>> = {
  exact: 'grade_own_exact',
  answer_tag: 'grade_own_answer_tag',
  boxed: 'grade_own_boxed',
};

const gymGraders = (name: string): PythonGrader[] =>
  SHARED.flatMap(([score, modes, tasks]) =>
    tasks.split(/\s+/).includes(name) ? [tagged(score, modes)] : [],
  );

const graders = ({ name, definition }: Task): readonly PythonGrader[] => {
  const own = definition && OWN[definition.grader.kind];
  if (definition) return own === undefined ? [] : [{ grade: own, modes: BOTH }];
  return Object.hasOwn(GRADERS, name) ? (GRADERS[name] ?? []) : gymGraders(name);
};

/** Null where the scores of a task are not written in Python. */
export const graderIn = (task: Task, mode: ScoringMode): PythonGrader | null =>
  graders(task).find(({ modes }) => modes.includes(mode)) ?? null;

/** Why a task can't be handed over, and what to do; null where it can. */
export function refusal(task: Task, mode: ScoringMode): string | null {
  if (graderIn(task, mode) !== null) return null;
  const [other] = graders(task);
  if (other)
    return `The scores of ${task.name} are written in Python for scoring=${other.modes.join(' and ')}, and the run’s is ${mode}. Hand over a run with scoring=${other.modes[0]}.`;
  if (task.definition)
    return `The task ${task.name} is scored by ${task.definition.grader.kind === 'code' ? 'a program of your own' : `the grader "${task.definition.grader.kind}"`}, which is not written in Python here. Its rows are in own_tasks.json of a checkpoint; write its reward beside them, or choose the grader exact, answer_tag or boxed.`;
  if (task.source !== 'reasoning-gym')
    return `The task ${task.name} can’t be handed over: its score is not written in Python. Hand over a run with another task, or add the score to src/run/handoff/python.`;
  return `The task ${task.name} can’t be handed over: its score is not written in Python. Its problems are reasoning-gym’s, so "pip install reasoning-gym" scores them by upstream’s rules: reasoning_gym.get_score_answer_fn("${task.name}").`;
}
