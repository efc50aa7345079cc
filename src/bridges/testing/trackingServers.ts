/**
 * Servers with the paths of MLflow and of Trackio, for tests under Node, with faults of servers on demand. MLflow's keeps what it gets
 * like its file store: a metric that comes twice is there twice. Trackio's keeps a `log_id` once, as its database does.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The troubles that requests meet in place of a good answer. */
export type TrackingFault =
  /** The answer is 503, and nothing is done. */
  | 'unavailable'
  /** The request is carried out, and the connection ends without an answer. */
  | 'dropped'
  /** The request is carried out, and the answer is 503. */
  | 'unavailable-after'
  /** No answer ever comes, and nothing is done. */
  | 'silent'
  /** Half of the metrics are kept, and the answer is 500. */
  | 'half';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** Answers a request with a status and JSON. `half`: only the first half of a batch is kept. */
type Handler = (request: SeenRequest, half: boolean) => readonly [status: number, answer: unknown];

export interface TrackingServer {
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Sets the troubles of the next requests whose path, or the keys of whose body, hold `part`, in order. */
  fail(part: string, ...faults: readonly TrackingFault[]): void;
  /** Resolves when `seen` is true after a request. */
  until(seen: () => boolean): Promise<void>;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? null : JSON.parse(text);
}

async function listening(handle: Handler): Promise<TrackingServer> {
  const requests: SeenRequest[] = [];
  const faults: { readonly part: string; readonly fault: TrackingFault }[] = [];
  const waiting = new Set<{ readonly seen: () => boolean; readonly done: () => void }>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = incoming.url ?? '';
    const request = {
      method: incoming.method ?? '',
      path,
      headers: incoming.headers,
      body: await bodyOf(incoming),
    };
    requests.push(request);
    const matched = `${path} ${Object.keys(request.body ?? {}).join(' ')}`;
    const at = faults.findIndex(({ part }) => matched.includes(part));
    const fault = at < 0 ? null : (faults.splice(at, 1)[0]?.fault ?? null);
    const idle = fault === 'unavailable' || fault === 'silent';
    const [status, json] = idle ? [503, { message: 'busy' }] : handle(request, fault === 'half');
    for (const each of waiting)
      if (each.seen()) {
        waiting.delete(each);
        each.done();
      }
    if (fault === 'silent') return;
    if (fault === 'dropped') {
      incoming.socket.destroy();
      return;
    }
    const shown = fault === 'unavailable-after' ? 503 : fault === 'half' ? 500 : status;
    response.writeHead(shown, { 'Content-Type': 'application/json' }).end(JSON.stringify(json));
  };
  const server: Server = createServer((incoming, response) => void answer(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    fail: (part, ...wanted) => void faults.push(...wanted.map((fault) => ({ part, fault }))),
    until: (seen) =>
      seen() ? Promise.resolve() : new Promise((resolve) => waiting.add({ seen, done: resolve })),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface MlflowMetric {
  readonly key: string;
  readonly value: number;
  readonly timestamp: number;
  readonly step: number;
}

export interface MlflowRun {
  readonly id: string;
  readonly name: string;
  status: string;
  readonly tags: Map<string, string>;
  readonly params: Map<string, string>;
  readonly metrics: MlflowMetric[];
}

const MLFLOW_NAME = /^[/\w.\- ]*$/;

export interface MlflowServer extends TrackingServer {
  /** The ids of experiments by their names. */
  readonly experiments: Map<string, string>;
  readonly runs: MlflowRun[];
  /** The values of a run as `name@step`, in order of arrival. */
  numbers(run?: MlflowRun): [string, number][];
}

/** Requests must bring the `token`, unless it is null. */
export async function mlflowServer(token: string | null = null): Promise<MlflowServer> {
  const experiments = new Map<string, string>();
  const runs: MlflowRun[] = [];
  const missing = [404, { error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'no such thing' }] as const;
  const invalid = (message: string) => [400, { error_code: 'INVALID_PARAMETER_VALUE', message }] as const;
  const runOf = (id: unknown): MlflowRun | undefined => runs.find((run) => run.id === id);
  const handle: Handler = ({ method, path, headers, body }, half) => {
    if (token !== null && headers.authorization !== `Bearer ${token}`)
      return [401, { message: 'unauthorized' }];
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const asked = (body ?? {}) as Readonly<Record<string, unknown>>;
    switch (`${method} ${pathname.replace('/api/2.0/mlflow', '')}`) {
      case 'GET /experiments/get-by-name': {
        const id = experiments.get(searchParams.get('experiment_name') ?? '');
        return id === undefined ? missing : [200, { experiment: { experiment_id: id } }];
      }
      case 'POST /experiments/create': {
        const name = String(asked['name']);
        if (experiments.has(name)) return [400, { error_code: 'RESOURCE_ALREADY_EXISTS' }];
        experiments.set(name, String(experiments.size + 1));
        return [200, { experiment_id: experiments.get(name) }];
      }
      case 'POST /runs/create': {
        const tags = asked['tags'] as { readonly key: string; readonly value: string }[];
        const run: MlflowRun = {
          id: `run${runs.length + 1}`,
          name: String(asked['run_name']),
          status: 'RUNNING',
          tags: new Map(tags.map(({ key, value }) => [key, value])),
          params: new Map(),
          metrics: [],
        };
        runs.push(run);
        return [200, { run: { info: { run_id: run.id } } }];
      }
      case 'POST /runs/search': {
        const [, key = '', value] = /^tags\.(\w+) = '(\w+)'$/.exec(String(asked['filter'])) ?? [];
        const found = runs.filter((run) => run.tags.get(key) === value);
        return [200, found.length === 0 ? {} : { runs: found.map(({ id }) => ({ info: { run_id: id } })) }];
      }
      case 'POST /runs/update': {
        const run = runOf(asked['run_id']);
        if (!run) return missing;
        run.status = String(asked['status']);
        return [200, {}];
      }
      case 'POST /runs/log-batch': {
        const run = runOf(asked['run_id']);
        if (!run) return missing;
        const metrics = (asked['metrics'] ?? []) as MlflowMetric[];
        const params = (asked['params'] ?? []) as { readonly key: string; readonly value: string }[];
        if (metrics.length > 1000 || params.length > 100) return invalid('too many');
        const bad = [...metrics, ...params].find(({ key }) => !MLFLOW_NAME.test(key));
        if (bad) return invalid(`Invalid name: '${bad.key}'`);
        for (const { key, value } of params) {
          if ((run.params.get(key) ?? value) !== value) return invalid(`${key} was another value`);
          run.params.set(key, value);
        }
        run.metrics.push(...(half ? metrics.slice(0, Math.ceil(metrics.length / 2)) : metrics));
        return [200, {}];
      }
      case 'GET /metrics/get-history': {
        const run = runOf(searchParams.get('run_id'));
        if (!run) return missing;
        // The answer has pages of two, as a server may choose.
        const from = Number(searchParams.get('page_token') ?? 0);
        const all = run.metrics.filter(({ key }) => key === searchParams.get('metric_key'));
        const rest = from + 2 < all.length ? { next_page_token: String(from + 2) } : {};
        return [200, { metrics: all.slice(from, from + 2), ...rest }];
      }
      default:
        return [404, { error_code: 'ENDPOINT_NOT_FOUND', message: path }];
    }
  };
  const server = await listening(handle);
  return {
    ...server,
    experiments,
    runs,
    numbers: (run = runs[0]) => (run?.metrics ?? []).map(({ key, step, value }) => [`${key}@${step}`, value]),
  };
}

interface TrackioEntry {
  readonly project: string;
  readonly run: string;
  readonly run_id: string;
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
  readonly config: object | null;
  readonly log_id: string;
}

export interface TrackioServer extends TrackingServer {
  /** The lines that are kept, each log_id once. */
  readonly entries: TrackioEntry[];
  numbers(): [string, number][];
}

export async function trackioServer(token: string): Promise<TrackioServer> {
  const entries: TrackioEntry[] = [];
  const handle: Handler = ({ method, path, headers, body }, half) => {
    if (`${method} ${path}` !== 'POST /api/bulk_log') return [404, { error: 'no such thing' }];
    if (headers['x-trackio-write-token'] !== token)
      return [400, { error: 'A write_token is required to log metrics' }];
    const { logs } = (body as { readonly kwargs: { readonly logs: TrackioEntry[] } }).kwargs;
    for (const entry of half ? logs.slice(0, Math.ceil(logs.length / 2)) : logs)
      if (!entries.some(({ log_id }) => log_id === entry.log_id)) entries.push(entry);
    return [200, { data: null }];
  };
  const server = await listening(handle);
  return {
    ...server,
    entries,
    numbers: () =>
      entries.flatMap(({ step, metrics }) =>
        Object.entries(metrics).map(([name, value]): [string, number] => [`${name}@${step}`, value]),
      ),
  };
}

/** A server that answers as a test says, for contracts that are recorded there. */
export function scriptedServer(
  answer: (request: SeenRequest) => readonly [number, unknown],
): Promise<TrackingServer> {
  return listening((request) => answer(request));
}
