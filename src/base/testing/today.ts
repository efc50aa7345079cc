/**
 * The number of the day: it chooses what a test looks at today, of more than it has time for. Where it seeds what is drawn, the name of the test says it, and the
 * same day can be had again by putting its number here.
 */
import { DAY } from '../clock.ts';

export const TODAY = Math.floor(Date.now() / DAY);
