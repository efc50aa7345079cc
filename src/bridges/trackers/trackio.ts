/**
 * A run of Trackio, by the `bulk_log` of its HTTP API (version 1). Each line has a `log_id` that is made of the run's id and the line's
 * place in the run. Trackio stores an id once, so a request may come twice.
 */
import { shownJson } from '@rl-playground/base/json';
import { Refused, type HttpClient } from './http.ts';
import type { RunLine } from './runLines.ts';
import type { TrackState } from './state.ts';
import type { TrackedRun, Tracker } from './tracker.ts';

/** The most lines of one request. */
const MOST_LINES = 200;

export class TrackioTracker implements Tracker {
  readonly #client: HttpClient;
  readonly #project: string;
  readonly #token: string | null;
  readonly #run: TrackedRun;
  readonly #state: TrackState;

  /** `token` is the Hub's, for a Space, which takes it among the arguments; null for a server of one's own. */
  constructor(
    client: HttpClient,
    { project, token }: { readonly project: string; readonly token: string | null },
    run: TrackedRun,
    state: TrackState,
  ) {
    this.#client = client;
    this.#project = project;
    this.#token = token;
    this.#run = run;
    this.#state = state;
  }

  /** Trackio makes a run with its first line. */
  open(): Promise<string> {
    const words = new URLSearchParams({ project: this.#project, runs: this.#run.name });
    return Promise.resolve(`${this.#client.server.base}/?${words}`);
  }

  async send(lines: readonly RunLine[]): Promise<void> {
    for (let at = 0; at < lines.length; at += MOST_LINES) {
      const part = lines.slice(at, at + MOST_LINES);
      const config = Object.fromEntries(this.#run.settings);
      const logs = part.map((line, i) => ({
        project: this.#project,
        run: this.#run.name,
        run_id: this.#state.id,
        step: line.step,
        metrics: Object.fromEntries(line.values),
        // Sending the settings again replaces them.
        config: i === 0 ? config : null,
        log_id: `${this.#state.id}-${line.kind}-${line.step}-${line.occurrence}`,
      }));
      const answer = await this.#client.send('POST', '/api/bulk_log', {
        args: [],
        kwargs: { logs, hf_token: this.#token },
      });
      const error = (answer as { readonly error?: unknown } | null)?.error ?? null;
      if (error !== null)
        throw new Refused(`Trackio refused the lines: ${shownJson(error, 300)}`, 200, answer);
      this.#state.acknowledge(part);
    }
  }

  /** Trackio has no end of a run. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
