/**
 * A run of MLflow, over its REST API 2.0. MLflow never overwrites a metric: one that is sent twice may be there twice. So data that may
 * have been stored without an answer is looked up before it is sent again: a run by a tag that only it has, metrics by their history.
 */
import * as z from 'zod';
import { checked } from '@rl-playground/base/json';
import { Refused, type HttpClient } from './http.ts';
import type { RunLine } from './runLines.ts';
import type { TrackState } from './state.ts';
import { partsOf, type TrackedRun, type Tracker } from './tracker.ts';

const API = '/api/2.0/mlflow';
/** MLflow's own limits of one request. */
const MOST_METRICS = 1000;
const MOST_PARAMETERS = 100;
/** The longest value of a parameter that every version takes. */
const LONGEST_PARAMETER = 500;
const LONGEST_NAME = 250;
/** The tag that holds the id of our own record, so that a run is found again whose creation got no answer. */
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

/** A value of a metric, with what tells it from others of its step. */
interface SentMetric extends Pick<RunLine, 'step' | 'occurrence'> {
  readonly key: string;
  readonly value: number;
  /** The time in milliseconds since 1970. */
  readonly timestamp: number;
}

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

/** The answer of the server, or null if it says that there is no such thing. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

export function mlflowTracker(
  client: HttpClient,
  experimentName: string,
  run: TrackedRun,
  state: TrackState,
): Tracker {
  let id = '';
  /** True if an earlier process may have sent lines of which it heard no answer. */
  let doubtfulLines = state.resumed;

  const get = (path: string, words: Readonly<Record<string, string>>): Promise<unknown> =>
    client.send('GET', `${API}${path}?${new URLSearchParams(words)}`);
  const post = (path: string, body: object): Promise<unknown> => client.send('POST', API + path, body);

  /** Makes something unless a doubtful request has made it already. @returns its id */
  async function made(
    path: string,
    body: object,
    find: () => Promise<string | null>,
    idOf: (answer: unknown) => string,
    doubtful = false,
  ): Promise<string> {
    let found: string | null = null;
    const bodyUnlessFound = async (again: boolean): Promise<object | null> => {
      found = again ? await find() : null;
      return found === null ? body : null;
    };
    const answer = await client.sendAnew('POST', API + path, bodyUnlessFound, doubtful);
    return found ?? idOf(answer);
  }

  async function experimentByName(): Promise<string | null> {
    const answer = await orNull(get('/experiments/get-by-name', { experiment_name: experimentName }));
    return answer === null ? null : checked(experiment, answer).experiment.experiment_id;
  }

  async function experimentId(): Promise<string> {
    const found = await experimentByName();
    if (found !== null) return found;
    const idOf = (answer: unknown): string => checked(newExperiment, answer).experiment_id;
    try {
      return await made('/experiments/create', { name: experimentName }, experimentByName, idOf);
    } catch (error) {
      // Another tracker was faster.
      const id = codeOf(error) === 'RESOURCE_ALREADY_EXISTS' ? await experimentByName() : null;
      if (id === null) throw error;
      return id;
    }
  }

  async function runByTag(ofExperiment: string): Promise<string | null> {
    const filter = `tags.${TAG} = '${state.id}'`;
    const words = { experiment_ids: [ofExperiment], filter, max_results: 1 };
    const answer = await orNull(post('/runs/search', words));
    return answer === null ? null : (checked(foundRuns, answer).runs[0]?.info.run_id ?? null);
  }

  function createRun(ofExperiment: string): Promise<string> {
    const body = {
      experiment_id: ofExperiment,
      run_name: run.name,
      start_time: state.began,
      tags: [
        { key: 'mlflow.runName', value: run.name },
        { key: TAG, value: state.id },
      ],
    };
    const idOf = (answer: unknown): string => checked(newRun, answer).run.info.run_id;
    return made('/runs/create', body, () => runByTag(ofExperiment), idOf, state.resumed);
  }

  async function sendSettings(): Promise<void> {
    if (state.remote['settings'] === 'sent') return;
    const parameters = [...run.settings].map(([key, value]) => {
      const text = String(value);
      const shown = text.length > LONGEST_PARAMETER ? `${text.slice(0, LONGEST_PARAMETER - 1)}…` : text;
      return { key: mlflowName(key), value: shown };
    });
    // The same value of a parameter may be sent again.
    for (const params of partsOf(parameters, MOST_PARAMETERS))
      await post('/runs/log-batch', { run_id: id, params });
    state.keep({ settings: 'sent' });
  }

  /** The steps at which a metric has values. */
  async function stepsOf(key: string): Promise<number[]> {
    const steps: number[] = [];
    let page: string | undefined;
    do {
      const words = { run_id: id, metric_key: key, ...(page !== undefined && { page_token: page }) };
      const answer = await orNull(get('/metrics/get-history', words));
      if (answer === null) return [];
      const { metrics, next_page_token: next } = checked(history, answer);
      steps.push(...metrics.map(({ step }) => step));
      page = next === '' ? undefined : next;
    } while (page !== undefined);
    return steps;
  }

  /** The metrics of which the server has no value yet; all where it can't say, because its databases leave equal ones out. */
  async function missing(metrics: readonly SentMetric[]): Promise<SentMetric[]> {
    const found: SentMetric[] = [];
    for (const key of new Set(metrics.map((metric) => metric.key))) {
      const steps = await stepsOf(key);
      const lacks = ({ step, occurrence }: SentMetric): boolean =>
        steps.filter((each) => each === step).length < occurrence;
      found.push(...metrics.filter((metric) => metric.key === key && lacks(metric)));
    }
    return found;
  }

  async function sendMetrics(metrics: readonly SentMetric[]): Promise<void> {
    const bodyOf = async (doubtful: boolean): Promise<object | null> => {
      const left = doubtful ? await missing(metrics) : metrics;
      const sent = left.map(({ key, value, timestamp, step }) => ({ key, value, timestamp, step }));
      return left.length === 0 ? null : { run_id: id, metrics: sent };
    };
    await client.sendAnew('POST', `${API}/runs/log-batch`, bodyOf, doubtfulLines);
  }

  return {
    async open() {
      const { experiment_id: knownExperiment, run_id: knownRun } = state.remote;
      const ofExperiment = typeof knownExperiment === 'string' ? knownExperiment : await experimentId();
      id = typeof knownRun === 'string' ? knownRun : await createRun(ofExperiment);
      state.keep({ experiment_id: ofExperiment, run_id: id });
      // It may have been closed before the run was gone on with.
      if (state.resumed) await post('/runs/update', { run_id: id, status: 'RUNNING' });
      await sendSettings();
      return `${client.server.base}/#/experiments/${ofExperiment}/runs/${id}`;
    },

    async send(lines) {
      // So many lines fit into one request; a line that is too large for it is alone.
      const longest = Math.max(1, ...lines.map(({ values }) => values.size));
      for (const group of partsOf(lines, Math.max(1, Math.floor(MOST_METRICS / longest)))) {
        const metrics = group.flatMap(({ values, time, step, occurrence }) =>
          [...values].map(([name, value]) => ({
            key: mlflowName(name),
            value,
            timestamp: time,
            step,
            occurrence,
          })),
        );
        for (const part of partsOf(metrics, MOST_METRICS)) await sendMetrics(part);
        state.acknowledge(group);
        doubtfulLines = false;
      }
    },

    async close(ending) {
      const status = ending === 'finished' ? 'FINISHED' : 'FAILED';
      await post('/runs/update', { run_id: id, status, end_time: Date.now() });
    },
  };
}
