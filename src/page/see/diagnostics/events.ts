/** The latest events of the page for a report of a fault: phases, titles of notices, names of errors. It contains no prompts and no answers. */
import type { RunController } from '@rl-playground/run/session';

const MOST = 50;

export interface PageEvent {
  readonly at: number;
  readonly text: string;
}

const events: PageEvent[] = [];

export function noteEvent(text: string): void {
  events.push({ at: performance.now(), text });
  if (events.length > MOST) events.shift();
}

/** The last fifty events, the oldest first. */
export const lastEvents = (): readonly PageEvent[] => events;

/** The place of an error, without its message, which may quote an answer. */
export function nameOfError(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at |@/.test(line));
  return [error.name, ...frames.slice(0, 4).map((line) => line.trim())].join(' < ');
}

/** Notes events from now on. */
export function noteEvents(controller: RunController): void {
  let { phase, notices } = controller.snapshot();
  controller.subscribe(() => {
    const now = controller.snapshot();
    if (now.phase !== phase) noteEvent(`${now.phase} at step ${now.step}`);
    for (const notice of now.notices)
      if (!notices.includes(notice)) noteEvent(`${notice.kind}: ${notice.title}`);
    ({ phase, notices } = now);
  });
  window.addEventListener('error', ({ error }) => noteEvent(`uncaught ${nameOfError(error)}`));
  window.addEventListener('unhandledrejection', ({ reason }) =>
    noteEvent(`unhandled ${nameOfError(reason)}`),
  );
}
