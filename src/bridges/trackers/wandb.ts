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
import type { Ending, TrackedRun, Tracker } from './tracker.ts';

/** The most lines of one request. Each has some 5 kB, and a request may have 10 MB. */
const MOST_LINES = 500;

const UPSERT = `mutation UpsertBucket($name: String, $project: String, $entity: String, $displayName: String, $config: JSONString) {
  upsertBucket(input: { name: $name, modelName: $project, entityName: $entity, displayName: $displayName, config: $config }) {
    bucket { id name project { name entity { name } } }
    inserted
  }
}`;

const answerSchema = z.object({
  errors: z.array(z.object({ message: z.string() })).optional(),
  data: z
    .object({
      upsertBucket: z
        .object({
          bucket: z.object({
            name: z.string(),
            project: z.object({ name: z.string(), entity: z.object({ name: z.string() }) }),
          }),
        })
        .nullish(),
    })
    .nullish(),
});

/** The milliseconds without a request after which W&B is told that the run goes on, as its own client does. */
const HEARTBEAT = 30_000;

/**
 * The records that its client writes for `define_metric('step')` and `define_metric('*', step_metric='step')`: charts then have our step
 * on their axis, and not the number of the line. Keys are fields of its MetricRecord: 1 name, 2 glob, 5 place of the step's metric, 6
 * options that are on.
 */
const STEP_AXIS = [
  { 1: 'step', 6: [3] },
  { 2: '*', 5: 1, 6: [1] },
];

/** The address of the pages of runs, for an API's address. */
const pageOf = (base: string): string => base.replace('://api.wandb.ai', '://wandb.ai');

export class WandbTracker implements Tracker {
  readonly #client: HttpClient;
  readonly #place: { readonly project: string; readonly entity: string | null };
  readonly #run: TrackedRun;
  readonly #state: TrackState;
  readonly #summary = new Map<string, number>();
  #path = '';
  /** The time of the last request. */
  #heard = -Infinity;

  constructor(
    client: HttpClient,
    place: { readonly project: string; readonly entity: string | null },
    run: TrackedRun,
    state: TrackState,
  ) {
    this.#client = client;
    this.#place = place;
    this.#run = run;
    this.#state = state;
  }

  async open(earlier: readonly RunLine[]): Promise<string> {
    this.#summarize(earlier);
    const { project, entity } = this.#place;
    const settings = Object.fromEntries([...this.#run.settings].map(([key, value]) => [key, { value }]));
    const answer = checked(
      answerSchema,
      await this.#client.send('POST', '/graphql', {
        operationName: 'UpsertBucket',
        query: UPSERT,
        variables: {
          name: this.#state.id,
          project,
          entity,
          displayName: this.#run.name,
          config: JSON.stringify({ ...settings, _wandb: { value: { m: STEP_AXIS } } }),
        },
      }),
    );
    const bucket = answer.data?.upsertBucket?.bucket;
    if (bucket === undefined)
      throw new Refused(
        `W&B made no run in the project ${project}: ${answer.errors?.[0]?.message ?? 'it does not say why'}`,
        200,
        answer,
      );
    const owner = bucket.project.entity.name;
    const parts = [owner, bucket.project.name, bucket.name].map(encodeURIComponent);
    this.#path = `/files/${parts.join('/')}/file_stream`;
    return `${pageOf(this.#client.server.base)}/${parts[0]}/${parts[1]}/runs/${parts[2]}`;
  }

  async send(lines: readonly RunLine[]): Promise<void> {
    for (let at = 0; at < lines.length; at += MOST_LINES) {
      const part = lines.slice(at, at + MOST_LINES);
      const offset = this.#state.lines;
      this.#summarize(part);
      await this.#stream({
        files: {
          'wandb-history.jsonl': {
            offset,
            content: part.map((line, i) => this.#historyLine(line, offset + i)),
          },
          'wandb-summary.json': {
            offset: 0,
            content: [JSON.stringify(Object.fromEntries(this.#summary))],
          },
        },
      });
      this.#state.acknowledge(part);
    }
  }

  async alive(): Promise<void> {
    if (performance.now() - this.#heard >= HEARTBEAT) await this.#stream({});
  }

  async close(ending: Ending): Promise<void> {
    await this.#stream({ complete: true, exitcode: ending === 'finished' ? 0 : 1 });
  }

  /** The last value of each name. */
  #summarize(lines: readonly RunLine[]): void {
    for (const { step, values } of lines)
      for (const [name, value] of [['step', step] as const, ...values]) this.#summary.set(name, value);
  }

  async #stream(body: object): Promise<void> {
    await this.#client.send('POST', this.#path, body);
    this.#heard = performance.now();
  }

  #historyLine({ time, step, values }: RunLine, number: number): string {
    const seconds = time / 1000;
    return JSON.stringify({
      ...Object.fromEntries(values),
      step,
      _step: number,
      _timestamp: seconds,
      _runtime: (time - this.#state.began) / 1000,
    });
  }
}
