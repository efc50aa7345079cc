/** A run as an event file of TensorBoard. */
import { closeSync, mkdirSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { inside } from '@rl-playground/engine/parts/node';
import { sync, writing } from '@rl-playground/run/disk';
import { scalarsEvent, sessionEndEvent, sessionStartEvent, textEvent, versionEvent } from './eventFile.ts';
import type { RunLine } from './runLines.ts';
import type { TrackState } from './state.ts';
import type { Ending, TrackedRun, Tracker } from './tracker.ts';

/** The beginning of the names of event files. */
const EVENT_FILE = 'events.out.tfevents.';

const secondsOf = (milliseconds: number): number => milliseconds / 1000;

/** A table in Markdown. */
function settingsText({ name, settings }: TrackedRun): string {
  const cell = (text: unknown): string => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = [...settings].map(([key, value]) => `| ${cell(key)} | ${cell(value)} |`);
  return [`**${cell(name)}**`, '', '| setting | value |', '| --- | --- |', ...rows].join('\n');
}

export class TensorBoardTracker implements Tracker {
  readonly #folder: string;
  readonly #run: TrackedRun;
  readonly #state: TrackState;
  #path = '';
  #bytes = 0;

  constructor(folder: string, run: TrackedRun, state: TrackState) {
    this.#folder = folder;
    this.#run = run;
    this.#state = state;
  }

  /**
   * Opens the event file. Bytes that an earlier process wrote beyond its record are cut off: half a record would end every reader there.
   * A state that names anything but an event file comes from a stranger, and a new file is begun.
   */
  open(): Promise<string> {
    const { file, bytes } = this.#state.remote;
    const isOwn = typeof file === 'string' && file.startsWith(EVENT_FILE) && basename(file) === file;
    const path = isOwn ? inside(this.#folder, file) : null;
    const size = path === null ? -1 : (statSync(path, { throwIfNoEntry: false })?.size ?? -1);
    if (path !== null && typeof bytes === 'number' && size >= bytes) {
      [this.#path, this.#bytes] = [path, bytes];
      writing(path, () => truncateSync(path, bytes));
    } else this.#begin();
    return Promise.resolve(
      `${this.#path}: look at it by tensorboard --logdir ${JSON.stringify(this.#folder)}`,
    );
  }

  send(lines: readonly RunLine[]): Promise<void> {
    this.#append(
      lines.map(({ time, step, values }) => scalarsEvent(secondsOf(time), step, values)),
      lines,
    );
    return Promise.resolve();
  }

  close(ending: Ending): Promise<void> {
    this.#append([sessionEndEvent(secondsOf(Date.now()), ending)], []);
    return Promise.resolve();
  }

  #begin(): void {
    if (this.#state.resumed) this.#state.restart();
    const { id, began } = this.#state;
    const seconds = secondsOf(began);
    const file = `${EVENT_FILE}${Math.floor(seconds)}.rl-playground.${id}`;
    writing(this.#folder, () => mkdirSync(this.#folder, { recursive: true }));
    this.#path = inside(this.#folder, file);
    this.#bytes = 0;
    writing(this.#path, () => closeSync(openSync(this.#path, 'w')));
    this.#append(
      [
        versionEvent(seconds),
        textEvent(seconds, 'settings', settingsText(this.#run)),
        sessionStartEvent(seconds, this.#run.settings),
      ],
      [],
      { file },
    );
  }

  #append(
    records: readonly Uint8Array[],
    lines: readonly RunLine[],
    remote: Readonly<Record<string, string>> = {},
  ): void {
    const bytes = Buffer.concat(records);
    writing(this.#path, () => {
      const file = openSync(this.#path, 'r+');
      try {
        for (let done = 0; done < bytes.length;)
          done += writeSync(file, bytes, done, bytes.length - done, this.#bytes + done);
      } finally {
        closeSync(file);
      }
      sync(this.#path);
    });
    this.#bytes += bytes.length;
    this.#state.acknowledge(lines, { ...remote, bytes: this.#bytes });
  }
}
