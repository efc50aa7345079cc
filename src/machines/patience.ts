/**
 * How long a run and its machines wait for the server and for each other, all of it in one place. What is under way when a connection breaks is begun again by
 * that event (`reconnects.ts`), so these limits end a wait for somebody who is there and says nothing. They are so long that a machine that is slow, or stands
 * still for a moment, meets none of them.
 */

/** Milliseconds that the server has for each answer: to who connects, to a request, to a message and to a piece of an object. What it does not answer is asked again. */
export const ANSWER_WITHIN = 60_000;

/** Milliseconds for what is tidied up at the end, where the server has gone meanwhile: whoever leaves does not wait for its return. */
export const TIDY_WITHIN = 5000;

/** Milliseconds that a reader waits in a queue at a time. The server gives a sign of life twice meanwhile; one that gives none is asked again. */
export const QUEUE_WAIT = 30_000;

/** Milliseconds without a word of a machine at work until the server gives its request to another: the work is done twice and counts once. */
export const WORK_SILENCE = 5000;

/** Milliseconds until the server hands out again what a run has taken from its own queue of answers and not acknowledged. */
export const RESULT_SILENCE = 60_000;

/** Looks, one a second, between which a machine says nothing, until it counts as gone. They are looks and no seconds: a run that stands still misses no word. */
export const LOOKS_UNTIL_GONE = 10;

/** Milliseconds without any machine after which a run that has no generators of its own says that it waits. */
export const LONELY_AFTER = 30_000;

/** Milliseconds without an announcement after which a run counts as over; its program or its server may be being started again. */
export const OVER_AFTER = 60_000;

/** Milliseconds for a model to be looked up at its hub: where no way leads there, the run's server is asked for the base. */
export const LOOK_UP_WITHIN = 60_000;
