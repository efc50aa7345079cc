/** The tasks after reasoning-gym's datasets. */
import { chainSum } from './chainSum.ts';
import type { GymTask } from './define.ts';

export const GYM_TASKS: readonly GymTask[] = [chainSum];
