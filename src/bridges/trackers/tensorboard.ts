/** A run as an event file of TensorBoard. */
import { closeSync, mkdirSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { inside } from '@rl-playground/engine/parts/node';
import { sync, writing } from '@rl-playground/run/disk';
import { scalarsEvent, sessionEndEvent, sessionStartEvent, textEvent, versionEvent } from './eventFile.ts';
import type { RunLine } from './runLines.ts';
import type { Remote, TrackState } from './state.ts';
import type { TrackedRun, Tracker } from './tracker.ts';

/** The beginning of the names of event files. */
const EVENT_FILE = 'events.out.tfevents.';

/** The settings as a table in Markdown. */
function settingsText({ name, settings }: TrackedRun): string {
  const cell = (text: unknown): string => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = [...settings].map(([key, value]) => `| ${cell(key)} | ${cell(value)} |`);
  return [`**${cell(name)}**`, '', '| setting | value |', '| --- | --- |', ...rows].join('\n');
}

export function tensorBoardTracker(folder: string, run: TrackedRun, state: TrackState): Tracker {
  let path = '';
  let size = 0;

  function append(records: readonly Uint8Array[], lines: readonly RunLine[], remote: Remote = {}): void {
    const bytes = Buffer.concat(records);
    writing(path, () => {
      const file = openSync(path, 'r+');
      try {
        for (let done = 0; done < bytes.length;)
          done += writeSync(file, bytes, done, bytes.length - done, size + done);
      } finally {
        closeSync(file);
      }
      sync(path);
    });
    size += bytes.length;
    state.acknowledge(lines, { ...remote, bytes: size });
  }

  function begin(): void {
    if (state.resumed) state.restart();
    const seconds = state.began / 1000;
    const file = `${EVENT_FILE}${Math.floor(seconds)}.rl-playground.${state.id}`;
    writing(folder, () => mkdirSync(folder, { recursive: true }));
    path = inside(folder, file);
    size = 0;
    writing(path, () => closeSync(openSync(path, 'w')));
    const settings = textEvent(seconds, 'settings', settingsText(run));
    append([versionEvent(seconds), settings, sessionStartEvent(seconds, run.settings)], [], { file });
  }

  return {
    /**
     * Cuts off what an earlier process had written beyond what it had recorded: half a record would end every reader there. A state that
     * names another file than an event file is a stranger's, and a new file is begun.
     */
    open() {
      const { file, bytes } = state.remote;
      const isOwn = typeof file === 'string' && file.startsWith(EVENT_FILE) && basename(file) === file;
      const kept = isOwn ? inside(folder, file) : null;
      const there = kept === null ? -1 : (statSync(kept, { throwIfNoEntry: false })?.size ?? -1);
      if (kept !== null && typeof bytes === 'number' && there >= bytes) {
        [path, size] = [kept, bytes];
        writing(kept, () => truncateSync(kept, bytes));
      } else begin();
      return Promise.resolve(`${path}: look at it by tensorboard --logdir ${JSON.stringify(folder)}`);
    },

    send(lines) {
      append(
        lines.map(({ time, step, values }) => scalarsEvent(time / 1000, step, values)),
        lines,
      );
      return Promise.resolve();
    },

    close(ending) {
      append([sessionEndEvent(Date.now() / 1000, ending)], []);
      return Promise.resolve();
    },
  };
}
