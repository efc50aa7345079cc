/**
 * The state of sending a run to a tracker: `tracking/<target>-<destination>/state.json` in the run directory says which lines were acknowledged,
 * so that sending goes on from there. It holds no key.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { inside } from '@rl-playground/engine/parts/node';
import { messageOf, orBadInput } from '@rl-playground/base/errors';
import { checked, jsonText } from '@rl-playground/base/json';
import { PLACE_OPTIONS, type TrackerPlace } from '@rl-playground/run/settings';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { replaceFile, writing, readText } from '@rl-playground/run/disk';
import type { RunLine } from './runLines.ts';

export const TRACKING_FOLDER = 'tracking';
export const STATE_FILE = 'state.json';
const FORMAT = 2;

const schema = z.object({
  format_version: z.literal(FORMAT),
  /** The destination in words. */
  destination: z.string(),
  /** The options of `npx rl-playground track` that name the destination. */
  place: z.strictObject(
    Object.fromEntries(PLACE_OPTIONS.map((option) => [option, z.string().exactOptional()])),
  ),
  /** The name of the run there. */
  id: z.string(),
  /** The beginning of the run in milliseconds since 1970. */
  began: z.number(),
  /** The steps of the last lines that were acknowledged, and the number of evaluations by step. */
  sent: z.object({
    sft: z.number().nullable(),
    step: z.number().nullable(),
    evaluations: z.record(z.string(), z.number()),
    /** The number of all of them. */
    lines: z.number(),
  }),
  /** The tracker's own facts, such as a run's number or a file's length. */
  remote: z.record(z.string(), z.union([z.string(), z.number()])),
});
type Json = z.infer<typeof schema>;
export type Remote = Json['remote'];

const NOTHING_SENT = { sft: null, step: null, evaluations: {}, lines: 0 } satisfies Json['sent'];

/** The options by which the destination of the state at `path` was named. @throws BadInput if it can't be read */
export function statePlace(path: string): TrackerPlace {
  return orBadInput(
    () => checked(schema, JSON.parse(readText(path))).place,
    (why) => `${path} can't be read: ${why}. Remove it to send everything as a new run.`,
  );
}

/** Makes the folder of the state of a destination, which is in words without keys. @throws WriteError */
export function stateFolder(run: string, target: string, destination: string): string {
  const hash = createHash('sha256').update(destination).digest('hex').slice(0, 8);
  const folder = inside(run, join(TRACKING_FOLDER, `${target}-${hash}`));
  writing(folder, () => mkdirSync(folder, { recursive: true }));
  return folder;
}

export class TrackState {
  /** True if a process before this one may have sent lines or settings. */
  readonly resumed: boolean;
  readonly #folder: string;
  #json: Json;

  private constructor(folder: string, json: Json, resumed: boolean) {
    this.#folder = folder;
    this.#json = json;
    this.resumed = resumed;
  }

  /** Opens the state in a folder that the caller has locked, or begins a new one. @throws Error if it can't be read or written. */
  static open(
    run: string,
    folder: string,
    { destination, place }: { readonly destination: string; readonly place: TrackerPlace },
  ): TrackState {
    const path = inside(folder, STATE_FILE);
    const kept = existsSync(path) ? readText(path) : null;
    if (kept !== null)
      try {
        return new TrackState(folder, checked(schema, JSON.parse(kept)), true);
      } catch (error) {
        throw new Error(
          `${path} can't be read (${messageOf(error)}), so it is not known what was sent. Remove it to send everything as a new run.`,
          { cause: error },
        );
      }
    const id = randomUUID().replaceAll('-', '');
    const began = Math.round(statSync(join(run, RUN_DIRECTORY.config)).mtimeMs);
    const known = { format_version: FORMAT, destination, place, id, began } as const;
    const state = new TrackState(folder, { ...known, sent: NOTHING_SENT, remote: {} }, false);
    state.#write();
    return state;
  }

  get id(): string {
    return this.#json.id;
  }

  get began(): number {
    return this.#json.began;
  }

  get remote(): Remote {
    return this.#json.remote;
  }

  get lines(): number {
    return this.#json.sent.lines;
  }

  has({ kind, step, occurrence }: RunLine): boolean {
    const { sent } = this.#json;
    if (kind === 'evaluation') return (sent.evaluations[step] ?? 0) >= occurrence;
    const last = sent[kind];
    return last !== null && step <= last;
  }

  /** Records that lines have arrived, in the order of the log. @throws WriteError */
  acknowledge(lines: readonly RunLine[], remote: Remote = {}): void {
    const { sent } = this.#json;
    const last = (kind: 'sft' | 'step') => lines.findLast((line) => line.kind === kind)?.step ?? sent[kind];
    const evaluations = lines
      .filter(({ kind }) => kind === 'evaluation')
      .map(({ step, occurrence }) => [String(step), occurrence] as const);
    this.#json = {
      ...this.#json,
      sent: {
        sft: last('sft'),
        step: last('step'),
        evaluations: { ...sent.evaluations, ...Object.fromEntries(evaluations) },
        lines: sent.lines + lines.length,
      },
      remote: { ...this.#json.remote, ...remote },
    };
    this.#write();
  }

  /** Keeps facts of the tracker's own. @throws WriteError */
  keep(remote: Remote): void {
    this.acknowledge([], remote);
  }

  /** Forgets all that was sent, because the tracker has lost it. @throws WriteError */
  restart(): void {
    this.#json = { ...this.#json, sent: NOTHING_SENT, remote: {} };
    this.#write();
  }

  #write(): void {
    replaceFile(inside(this.#folder, STATE_FILE), jsonText(this.#json));
  }
}
