/**
 * All limits on the waits of a run and its machines for the server and for each other. Work that is interrupted by a broken connection is
 * begun again by that event (`reconnects.ts`), so these limits end waits for somebody who is there and silent. They are so long that a
 * machine that is slow, or stopped for a moment, meets none of them.
 */

/**
 * The milliseconds that the server has for each answer: to a new connection, a request, a message and a piece of an object. Without an
 * answer it is asked again.
 */
export const ANSWER_WITHIN = 60_000;

/** The milliseconds for tidying up at the end if the server is gone: a machine that leaves does not wait for its return. */
export const TIDY_WITHIN = 5000;

/** The milliseconds that a reader waits in a queue at a time. The server gives a sign of life twice meanwhile; without one it is asked again. */
export const QUEUE_WAIT = 30_000;

/** The milliseconds of silence of a machine at work before the server gives its request to another. The work is then done twice and counts once. */
export const WORK_SILENCE = 5000;

/** The milliseconds before the server hands out again what a run has taken from its own queue of answers and not acknowledged. */
export const RESULT_SILENCE = 60_000;

/**
 * The number of looks, one a second, without a message of a machine after which it counts as gone. Looks are counted in place of seconds,
 * because a run that is stopped for a while misses no message.
 */
export const LOOKS_UNTIL_GONE = 10;

/** The milliseconds without any machine after which a run without generators of its own reports that it waits. */
export const LONELY_AFTER = 30_000;

/** The milliseconds without an announcement after which a run counts as over. Its program or its server may be starting again meanwhile. */
export const OVER_AFTER = 60_000;

/** The milliseconds to look a model up at its hub. If that fails, the run's server is asked for the base. */
export const LOOK_UP_WITHIN = 60_000;
