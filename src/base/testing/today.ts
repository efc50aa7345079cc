/**
 * The number of the day. It chooses which part a test looks at today if there is more than it has time for. Where it
 * seeds random draws, the test's name states it, and putting that number here repeats the same day.
 */
import { DAY } from '../clock.ts';

export const TODAY = Math.floor(Date.now() / DAY);
