/**
 * A run of Weights & Biases, made as its own client makes one: `upsertBucket` over GraphQL, then lines of `wandb-history.jsonl` by the
 * file stream. A request of the stream says at which line it begins, so one that comes twice changes nothing, and a run is upserted under
 * our own id.
 */
import * as z from 'zod';
import { checked } from '@rl-playground/base/json';
import { Refused, type HttpClient } from './http.ts';
import type { RunLine } from './runLines.ts';
import type { TrackState } from './state.ts';
import { partsOf, type TrackedRun, type Tracker } from './tracker.ts';

/** The most lines of one request: a line has some 5 kB, and a request may have 10 MB. */
const MOST_LINES = 500;

const UPSERT = `mutation UpsertBucket($name: String, $project: String, $entity: String, $displayName: String, $config: JSONString) {
  upsertBucket(input: { name: $name, modelName: $project, entityName: $entity, displayName: $displayName, config: $config }) {
    bucket { id name project { name entity { name } } }
    inserted
  }
}`;

const named = z.object({ name: z.string() });
const bucketSchema = named.extend({ project: named.extend({ entity: named }) });
const answerSchema = z.object({
  errors: z.array(z.object({ message: z.string() })).optional(),
  data: z.object({ upsertBucket: z.object({ bucket: bucketSchema }).nullish() }).nullish(),
});

/** The milliseconds without a request after which W&B is told that the run goes on, as its own client does. */
const HEARTBEAT = 30_000;

/**
 * The axis of W&B's charts. This is what its client writes for `define_metric('step')` and `define_metric('*', step_metric='step')`: charts
 * have our step below, not the number of the line. Keys are fields of its MetricRecord: 1 name, 2 glob, 5 place of the step's metric, 6
 * options that are on.
 */
const STEP_AXIS = [
  { 1: 'step', 6: [3] },
  { 2: '*', 5: 1, 6: [1] },
];

/** The address at which people see runs, which W&B's own cloud has beside that of its API. */
const pageOf = (base: string): string => base.replace('://api.wandb.ai', '://wandb.ai');

export function wandbTracker(
  client: HttpClient,
  { project, entity }: { readonly project: string; readonly entity: string | null },
  run: TrackedRun,
  state: TrackState,
): Tracker {
  /** The last value of each name. */
  const summary = new Map<string, number>();
  let path = '';
  let lastRequest = -Infinity;

  function summarize(lines: readonly RunLine[]): void {
    for (const { step, values } of lines)
      for (const [name, value] of [['step', step] as const, ...values]) summary.set(name, value);
  }

  async function stream(body: object): Promise<void> {
    await client.send('POST', path, body);
    lastRequest = performance.now();
  }

  const historyLine = ({ time, step, values }: RunLine, number: number): string =>
    JSON.stringify({
      ...Object.fromEntries(values),
      step,
      _step: number,
      _timestamp: time / 1000,
      _runtime: (time - state.began) / 1000,
    });

  return {
    async open(earlier) {
      summarize(earlier);
      const settings = Object.fromEntries([...run.settings].map(([key, value]) => [key, { value }]));
      const config = JSON.stringify({ ...settings, _wandb: { value: { m: STEP_AXIS } } });
      const variables = { name: state.id, project, entity, displayName: run.name, config };
      const request = { operationName: 'UpsertBucket', query: UPSERT, variables };
      const answer = checked(answerSchema, await client.send('POST', '/graphql', request));
      const bucket = answer.data?.upsertBucket?.bucket;
      if (bucket === undefined)
        throw new Refused(
          `W&B made no run in the project ${project}: ${answer.errors?.[0]?.message ?? 'it does not say why'}`,
          200,
          answer,
        );
      const owner = bucket.project.entity.name;
      const parts = [owner, bucket.project.name, bucket.name].map(encodeURIComponent);
      path = `/files/${parts.join('/')}/file_stream`;
      return `${pageOf(client.server.base)}/${parts[0]}/${parts[1]}/runs/${parts[2]}`;
    },

    async send(lines) {
      for (const part of partsOf(lines, MOST_LINES)) {
        const offset = state.lines;
        summarize(part);
        const content = part.map((line, i) => historyLine(line, offset + i));
        const last = [JSON.stringify(Object.fromEntries(summary))];
        await stream({
          files: {
            'wandb-history.jsonl': { offset, content },
            'wandb-summary.json': { offset: 0, content: last },
          },
        });
        state.acknowledge(part);
      }
    },

    async alive() {
      if (performance.now() - lastRequest >= HEARTBEAT) await stream({});
    },

    close: (ending) => stream({ complete: true, exitcode: ending === 'finished' ? 0 : 1 }),
  };
}
