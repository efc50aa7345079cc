/** Slow proofs take their time. */
const slow = process.env['PROOFS'] === 'all' || process.env['KERNELS'] === 'all';

/**
 * The longest wait of a test for any one event, page or process, in milliseconds. It is so long that no machine is too
 * slow for it: it ends what hangs and decides nothing else. No test has a limit of its own, and `npm test --
 * repository` checks that.
 */
export const PATIENCE = 300_000;

/**
 * The time limit of a whole test, in milliseconds. A test waits for several things, and the one that does not come has
 * to be named.
 */
export const TEST_PATIENCE = (slow ? 12 : 3) * PATIENCE;
