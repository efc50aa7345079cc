/** Slow proofs take their time. */
const slow = process.env['PROOFS'] === 'all' || process.env['KERNELS'] === 'all';

/**
 * Milliseconds that a test waits for any one thing at most, be it an event, a page or a process: so long that no machine is too slow for it. It ends
 * what hangs and decides nothing else. No test has a limit of its own; `npm test -- repository` looks.
 */
export const PATIENCE = 300_000;

/** Milliseconds that a whole test may take: it waits for several things, and the one that does not come has to be named. */
export const TEST_PATIENCE = (slow ? 12 : 3) * PATIENCE;
