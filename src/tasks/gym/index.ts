/** The tasks after reasoning-gym's datasets. */
import { chainSum } from './chainSum.ts';
import { countdown } from './countdown.ts';
import type { GymTask } from './define.ts';
import { puzzle24 } from './puzzle24.ts';

export const GYM_TASKS: readonly GymTask[] = [chainSum, countdown, puzzle24];
