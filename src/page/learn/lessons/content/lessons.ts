/** The lessons, in the order in which they build on each other. */
import { BASELINE } from './baseline.ts';
import { CLIPPING } from './clipping.ts';
import { DEAD_GROUPS } from './deadGroups.ts';
import { FORMAT } from './format.ts';
import { GROUP_SIZE } from './groupSize.ts';
import { KL } from './kl.ts';
import { LENGTH_BIAS } from './lengthBias.ts';
import { MISMATCH } from './mismatch.ts';
import { POLICY_GRADIENT } from './policyGradient.ts';
import { TEMPERATURE } from './temperature.ts';
import type { LessonId } from '../../../run/address/classroom.ts';
import type { Lesson } from './lesson.ts';

export const LESSONS: Readonly<Record<LessonId, Lesson>> = {
  format: FORMAT,
  'policy-gradient': POLICY_GRADIENT,
  baseline: BASELINE,
  'dead-groups': DEAD_GROUPS,
  temperature: TEMPERATURE,
  clipping: CLIPPING,
  'group-size': GROUP_SIZE,
  'length-bias': LENGTH_BIAS,
  kl: KL,
  mismatch: MISMATCH,
};
