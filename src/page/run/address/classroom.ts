/**
 * Links for a class: `?lock=learningRate,loss` (or `all`) locks settings, `?hide=runs,tools` leaves out parts of the page, `?lesson=format`
 * opens a lesson, and `?note=…` has the teacher's words over it.
 */
import { quoted } from '@rl-playground/base/valueSchemas';
import { FIELD_KEYS, isFieldKey, type FieldKey } from '@rl-playground/run/settings';

/** The lessons by the words of a link, such as `?lesson=dead-groups`. Their contents are loaded with their panel. */
export const LESSON_TITLES = {
  format: 'What does it learn first?',
  'policy-gradient': 'One token, two answers',
  baseline: 'What a reward is compared with',
  'dead-groups': 'Groups that teach nothing',
  temperature: 'How much to explore',
  clipping: 'When clipping matters',
  'group-size': 'How many answers per problem',
  'length-bias': 'What an average does to long answers',
  kl: 'A reward with a mistake in it',
  mismatch: 'A sampler that computes differently',
} as const;
export type LessonId = keyof typeof LESSON_TITLES;

export const LESSON_IDS = Object.keys(LESSON_TITLES) as readonly LessonId[];

export const isLessonId = (text: string): text is LessonId => Object.hasOwn(LESSON_TITLES, text);

/** The parts that a link can leave out, by the headings that they have on the page. */
export const PAGE_PARTS = {
  explain: 'What the words mean',
  settings: 'More settings',
  lessons: 'Five-minute lessons',
  try: 'Things to try',
  charts: 'More charts',
  evaluation: 'Evaluation',
  runs: 'Runs, Runs side by side',
  rollouts: 'What the model writes, Token inspector',
  machines: 'Invite generators',
  tools: 'Ask the model, Failure zoo, Your own task, Reward calculator, For a class',
} as const;
export type PagePart = keyof typeof PAGE_PARTS;

export interface Classroom {
  readonly locked: ReadonlySet<FieldKey>;
  readonly hidden: ReadonlySet<PagePart>;
  /** The lesson that the page opens with. */
  readonly lesson?: LessonId;
  /** The teacher's words over the lessons, plain text. */
  readonly note?: string;
}

/** True if the link leads to the lessons, so that the page opens with them. */
export const beginsAtLessons = ({ lesson, note, hidden }: Classroom): boolean =>
  (lesson !== undefined || note !== undefined) && !hidden.has('lessons');

const isPagePart = (text: string): text is PagePart => Object.hasOwn(PAGE_PARTS, text);

/** The most characters of the teacher's words. */
export const LONGEST_NOTE = 500;

/** The word for every setting. */
const ALL = 'all';
/** The most refused words that are named. */
const MOST_NAMED = 5;

const wordsOf = (query: URLSearchParams, key: string): string[] =>
  (query.get(key) ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Reads a query and never throws. `refused` names what it does not know. */
export function readClassroom(query: URLSearchParams): Classroom & { readonly refused: readonly string[] } {
  const locks = wordsOf(query, 'lock');
  const hides = wordsOf(query, 'hide');
  const lesson = query.get('lesson') ?? '';
  const note = (query.get('note') ?? '').trim();
  const refused = [
    ...locks
      .filter((word) => word !== ALL && !isFieldKey(word))
      .map((word) => `lock: ${quoted(word)} is not a setting; docs/settings.md lists them, or write ${ALL}.`),
    ...hides
      .filter((word) => !isPagePart(word))
      .map(
        (word) =>
          `hide: ${quoted(word)} is not a part of the page; choose from ${Object.keys(PAGE_PARTS).join(', ')}.`,
      ),
    ...(lesson !== '' && !isLessonId(lesson)
      ? [`lesson: ${quoted(lesson)} does not exist; choose one of: ${LESSON_IDS.join(', ')}.`]
      : []),
    ...(note.length > LONGEST_NOTE
      ? [`note: it has ${note.length} characters, and the first ${LONGEST_NOTE} are shown.`]
      : []),
  ];
  return {
    locked: new Set(locks.includes(ALL) ? FIELD_KEYS : locks.filter(isFieldKey)),
    hidden: new Set(hides.filter(isPagePart)),
    ...(isLessonId(lesson) && { lesson }),
    ...(note !== '' && { note: note.slice(0, LONGEST_NOTE) }),
    refused: refused.slice(0, MOST_NAMED),
  };
}

/** The words of a link for these settings of a class. */
export function classroomQuery({ locked, hidden, lesson, note }: Classroom): Record<string, string> {
  const lock =
    locked.size === FIELD_KEYS.length ? ALL : FIELD_KEYS.filter((key) => locked.has(key)).join(',');
  const hide = [...hidden].join(',');
  return {
    ...(lock !== '' && { lock }),
    ...(hide !== '' && { hide }),
    ...(lesson && { lesson }),
    ...(note && { note }),
  };
}
