/**
 * A run of MLflow, over its REST API 2.0. MLflow never overwrites a metric: one that is sent twice may be there twice. So data that may
 * have been stored without an answer is looked up before it is sent again: a run by a tag that only it has, metrics by their history.
 */
import * as z from 'zod';
import { checked } from '@rl-playground/base/json';
import { Refused, type HttpClient } from './http.ts';
import type { RunLine } from './runLines.ts';
import type { TrackState } from './state.ts';
import type { Ending, TrackedRun, Tracker } from './tracker.ts';

const API = '/api/2.0/mlflow';
/** The limits of one request, which are MLflow's own. */
const MOST_METRICS = 1000;
const MOST_PARAMETERS = 100;
/** The longest value of a parameter that every version accepts. */
const LONGEST_PARAMETER = 500;
const LONGEST_NAME = 250;
/** The tag with the id of our own record, by which a run is found again if no answer came. */
const TAG = 'rl_playground_tracking';

const experiment = z.object({ experiment: z.object({ experiment_id: z.string() }) });
const newExperiment = z.object({ experiment_id: z.string() });
const runInfo = z.object({ info: z.object({ run_id: z.string() }) });
const newRun = z.object({ run: runInfo });
const foundRuns = z.object({ runs: z.array(runInfo).default([]) });
const history = z.object({
  metrics: z.array(z.object({ step: z.coerce.number().default(0) })).default([]),
  next_page_token: z.string().optional(),
});

/** A metric as it is sent. */
interface Metric {
  readonly key: string;
  readonly value: number;
  /** The time in milliseconds since 1970. */
  readonly timestamp: number;
  readonly step: number;
}

type SentMetric = Metric & Pick<RunLine, 'occurrence'>;

const codeOf = (error: unknown): unknown =>
  error instanceof Refused && typeof error.answer === 'object' && error.answer !== null
    ? (error.answer as { readonly error_code?: unknown }).error_code
    : undefined;

/** A name that MLflow accepts: letters, digits and `_-./ ` alone, without empty parts between slashes. `pass@8` becomes `pass_at_8`. */
export function mlflowName(name: string): string {
  const plain = name
    .replaceAll('@', '_at_')
    .replaceAll(/[^\w./ -]/g, (sign) => `_${sign.codePointAt(0)?.toString(16)}_`);
  const parts = plain.split('/').map((part) => (/^\.{0,2}$/.test(part) ? `_${part}` : part));
  return parts.join('/').slice(0, LONGEST_NAME);
}

const query = (values: Readonly<Record<string, string>>): string => `?${new URLSearchParams(values)}`;

export class MlflowTracker implements Tracker {
  readonly #client: HttpClient;
  readonly #experiment: string;
  readonly #run: TrackedRun;
  readonly #state: TrackState;
  #id = '';
  /** True if an earlier process may have sent lines without an answer. */
  #doubtful: boolean;

  constructor(client: HttpClient, experimentName: string, run: TrackedRun, state: TrackState) {
    this.#client = client;
    this.#experiment = experimentName;
    this.#run = run;
    this.#state = state;
    this.#doubtful = state.resumed;
  }

  async open(): Promise<string> {
    const { base } = this.#client.server;
    const { experiment_id: knownExperiment, run_id: knownRun } = this.#state.remote;
    const experimentId = typeof knownExperiment === 'string' ? knownExperiment : await this.#experimentId();
    this.#id = typeof knownRun === 'string' ? knownRun : await this.#createRun(experimentId);
    this.#state.keep({ experiment_id: experimentId, run_id: this.#id });
    // It may have been closed before the run was continued.
    if (this.#state.resumed) await this.#post('/runs/update', { run_id: this.#id, status: 'RUNNING' });
    await this.#sendSettings();
    return `${base}/#/experiments/${experimentId}/runs/${this.#id}`;
  }

  async send(lines: readonly RunLine[]): Promise<void> {
    for (const group of groups(lines)) {
      const metrics = group.flatMap(({ values, time, step, occurrence }) =>
        [...values].map(([name, value]) => ({
          key: mlflowName(name),
          value,
          timestamp: time,
          step,
          occurrence,
        })),
      );
      for (let at = 0; at < metrics.length; at += MOST_METRICS)
        await this.#sendMetrics(metrics.slice(at, at + MOST_METRICS));
      this.#state.acknowledge(group);
      this.#doubtful = false;
    }
  }

  async close(ending: Ending): Promise<void> {
    const status = ending === 'finished' ? 'FINISHED' : 'FAILED';
    await this.#post('/runs/update', { run_id: this.#id, status, end_time: Date.now() });
  }

  async #sendMetrics(metrics: readonly SentMetric[]): Promise<void> {
    await this.#client.sendAnew(
      'POST',
      `${API}/runs/log-batch`,
      async (doubtful) => {
        const left = doubtful ? await this.#missing(metrics) : metrics;
        return left.length === 0
          ? null
          : {
              run_id: this.#id,
              metrics: left.map(({ key, value, timestamp, step }) => ({ key, value, timestamp, step })),
            };
      },
      this.#doubtful,
    );
  }

  /** The metrics whose value the server lacks. If it can't say, all of them, as they were sent: its databases leave equal ones out. */
  async #missing(metrics: readonly SentMetric[]): Promise<SentMetric[]> {
    const missing: SentMetric[] = [];
    for (const key of new Set(metrics.map((metric) => metric.key))) {
      const wanted = metrics.filter((metric) => metric.key === key);
      const steps = await this.#steps(key);
      missing.push(
        ...wanted.filter(({ step, occurrence }) => steps.filter((each) => each === step).length < occurrence),
      );
    }
    return missing;
  }

  /** The steps at which a metric has values. */
  async #steps(key: string): Promise<number[]> {
    const steps: number[] = [];
    let page: string | undefined;
    do {
      const words = { run_id: this.#id, metric_key: key, ...(page !== undefined && { page_token: page }) };
      try {
        const answer = checked(history, await this.#get(`/metrics/get-history${query(words)}`));
        steps.push(...answer.metrics.map(({ step }) => step));
        page = answer.next_page_token === '' ? undefined : answer.next_page_token;
      } catch (error) {
        if (error instanceof Refused && error.status === 404) return [];
        throw error;
      }
    } while (page !== undefined);
    return steps;
  }

  async #sendSettings(): Promise<void> {
    if (this.#state.remote['settings'] === 'sent') return;
    const parameters = [...this.#run.settings].map(([key, value]) => {
      const text = String(value);
      const shown = text.length > LONGEST_PARAMETER ? `${text.slice(0, LONGEST_PARAMETER - 1)}…` : text;
      return { key: mlflowName(key), value: shown };
    });
    // The same value of a parameter may be sent again.
    for (let at = 0; at < parameters.length; at += MOST_PARAMETERS)
      await this.#post('/runs/log-batch', {
        run_id: this.#id,
        params: parameters.slice(at, at + MOST_PARAMETERS),
      });
    this.#state.keep({ settings: 'sent' });
  }

  async #experimentId(): Promise<string> {
    const found = await this.#experimentByName();
    if (found !== null) return found;
    let id: string | null = null;
    try {
      const body = { name: this.#experiment };
      const answer = await this.#client.sendAnew('POST', `${API}/experiments/create`, async (doubtful) => {
        id = doubtful ? await this.#experimentByName() : null;
        return id === null ? body : null;
      });
      return id ?? checked(newExperiment, answer).experiment_id;
    } catch (error) {
      // Another tracker was faster.
      if (codeOf(error) !== 'RESOURCE_ALREADY_EXISTS') throw error;
      id = await this.#experimentByName();
      if (id === null) throw error;
      return id;
    }
  }

  async #experimentByName(): Promise<string | null> {
    try {
      const answer = await this.#get(
        `/experiments/get-by-name${query({ experiment_name: this.#experiment })}`,
      );
      return checked(experiment, answer).experiment.experiment_id;
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    }
  }

  async #createRun(experimentId: string): Promise<string> {
    const { id: own, began, resumed } = this.#state;
    let found: string | null = null;
    const body = {
      experiment_id: experimentId,
      run_name: this.#run.name,
      start_time: began,
      tags: [
        { key: 'mlflow.runName', value: this.#run.name },
        { key: TAG, value: own },
      ],
    };
    const answer = await this.#client.sendAnew(
      'POST',
      `${API}/runs/create`,
      async (doubtful) => {
        found = doubtful ? await this.#runByTag(experimentId) : null;
        return found === null ? body : null;
      },
      resumed,
    );
    return found ?? checked(newRun, answer).run.info.run_id;
  }

  async #runByTag(experimentId: string): Promise<string | null> {
    try {
      const answer = await this.#post('/runs/search', {
        experiment_ids: [experimentId],
        filter: `tags.${TAG} = '${this.#state.id}'`,
        max_results: 1,
      });
      return checked(foundRuns, answer).runs[0]?.info.run_id ?? null;
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    }
  }

  #get(path: string): Promise<unknown> {
    return this.#client.send('GET', API + path);
  }

  #post(path: string, body: object): Promise<unknown> {
    return this.#client.send('POST', API + path, body);
  }
}

/** The lines in groups that fit into one request; a line that is too large for it is alone. */
function groups(lines: readonly RunLine[]): RunLine[][] {
  const found: RunLine[][] = [];
  let room = 0;
  for (const line of lines) {
    const last = found.at(-1);
    if (last === undefined || line.values.size > room) {
      found.push([line]);
      room = MOST_METRICS - line.values.size;
    } else {
      last.push(line);
      room -= line.values.size;
    }
  }
  return found;
}
