/**
 * A run of Trackio, by the `bulk_log` of its HTTP API (version 1). Each line has a `log_id` that is made of the run's id and the line's
 * place in the run. Trackio stores an id once, so a request may come twice.
 */
import { shownJson } from '@rl-playground/base/json';
import { Refused, type HttpClient } from './http.ts';
import type { TrackState } from './state.ts';
import { partsOf, type TrackedRun, type Tracker } from './tracker.ts';

/** The most lines of one request. */
const MOST_LINES = 200;

/** `token`: the Hub's, which a Space takes among the arguments; null for a server of one's own. */
export function trackioTracker(
  client: HttpClient,
  { project, token }: { readonly project: string; readonly token: string | null },
  run: TrackedRun,
  state: TrackState,
): Tracker {
  return {
    // Trackio makes a run with its first line, and has no end of one.
    open: () => Promise.resolve(`${client.server.base}/?${new URLSearchParams({ project, runs: run.name })}`),
    close: () => Promise.resolve(),
    async send(lines) {
      for (const part of partsOf(lines, MOST_LINES)) {
        const logs = part.map((line, i) => ({
          project,
          run: run.name,
          run_id: state.id,
          step: line.step,
          metrics: Object.fromEntries(line.values),
          // The settings replace themselves.
          config: i === 0 ? Object.fromEntries(run.settings) : null,
          log_id: `${state.id}-${line.kind}-${line.step}-${line.occurrence}`,
        }));
        const body = { args: [], kwargs: { logs, hf_token: token } };
        const answer = await client.send('POST', '/api/bulk_log', body);
        const error = (answer as { readonly error?: unknown } | null)?.error ?? null;
        if (error !== null)
          throw new Refused(`Trackio refused the lines: ${shownJson(error, 300)}`, 200, answer);
        state.acknowledge(part);
      }
    },
  };
}
