/** The lessons by the words that a link names them with: `?lesson=dead-groups`. The page's address reads this; what is in them is loaded with their panel. */
export const LESSON_TITLES = {
  format: 'Why the format comes first',
  'dead-groups': 'Groups that teach nothing',
  clipping: 'When clipping matters',
  'group-size': 'How many answers to a problem',
  'length-bias': 'What an average does to long answers',
  mismatch: 'A sampler that computes differently',
} as const;
export type LessonId = keyof typeof LESSON_TITLES;

export const LESSON_IDS = Object.keys(LESSON_TITLES) as readonly LessonId[];

export const isLessonId = (text: string): text is LessonId => Object.hasOwn(LESSON_TITLES, text);
