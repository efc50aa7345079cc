/** The lessons, in the order in which they build on each other. */
import { CLIPPING } from './clipping.ts';
import { DEAD_GROUPS } from './deadGroups.ts';
import { FORMAT } from './format.ts';
import { GROUP_SIZE } from './groupSize.ts';
import { LENGTH_BIAS } from './lengthBias.ts';
import { MISMATCH } from './mismatch.ts';
import type { LessonId } from '../../../run/address/classroom.ts';
import type { Lesson } from './lesson.ts';

export const LESSONS: Readonly<Record<LessonId, Lesson>> = {
  format: FORMAT,
  'dead-groups': DEAD_GROUPS,
  clipping: CLIPPING,
  'group-size': GROUP_SIZE,
  'length-bias': LENGTH_BIAS,
  mismatch: MISMATCH,
};
