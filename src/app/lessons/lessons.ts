/** The lessons, in the order in which they build on each other. */
import { CLIPPING } from './content/clipping.ts';
import { DEAD_GROUPS } from './content/deadGroups.ts';
import { FORMAT } from './content/format.ts';
import { GROUP_SIZE } from './content/groupSize.ts';
import { LENGTH_BIAS } from './content/lengthBias.ts';
import { MISMATCH } from './content/mismatch.ts';
import type { LessonId } from './ids.ts';
import type { Lesson } from './lesson.ts';

export const LESSONS: Readonly<Record<LessonId, Lesson>> = {
  format: FORMAT,
  'dead-groups': DEAD_GROUPS,
  clipping: CLIPPING,
  'group-size': GROUP_SIZE,
  'length-bias': LENGTH_BIAS,
  mismatch: MISMATCH,
};
