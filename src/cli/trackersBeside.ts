/** Trackers beside a training run: each is a process of its own, so nothing that a server does or fails to do reaches the run. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { inside } from '@rl-playground/engine/parts/node';
import {
  isTrackTarget,
  TRACK_TARGETS,
  type AskedTracker,
  type TrackTarget,
} from '@rl-playground/run/settings';
import { writing } from '@rl-playground/run/disk';
import { programFolder, programWords } from './places.ts';
import {
  type Environment,
  checkNamedPlace,
  destinationOf,
  STATE_FILE,
  statePlace,
  TRACKING_FOLDER,
} from '@rl-playground/bridges/trackers';

/** Reads the trackers of `--track`, parted by commas. @throws InvalidArgumentError */
export function trackerList(text: string): readonly TrackTarget[] {
  const words = [...new Set(text.split(','))];
  const unknown = words.find((word) => !isTrackTarget(word));
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `There is no tracker "${unknown}"; it must be one or several of ${TRACK_TARGETS.join(', ')}, parted by commas.`,
    );
  return words.filter(isTrackTarget);
}

/** The trackers of `--track`, each as the settings file `namedBy` asks for it where it does. */
export function askedTrackers(
  targets: readonly TrackTarget[],
  tracking: readonly AskedTracker[],
  namedBy: string,
): readonly AskedTracker[] {
  return targets.map((target) => {
    const asked = tracking.find((each) => each.target === target);
    return asked ? { ...asked, namedBy } : { target, place: {} };
  });
}

/** The same for a run that is gone on with: where it was sent before, it is sent again. */
export function trackersAgain(folder: string, targets: readonly TrackTarget[]): readonly AskedTracker[] {
  const path = inside(folder, TRACKING_FOLDER);
  const names = existsSync(path) ? readdirSync(path).toSorted() : [];
  return targets.flatMap((target): AskedTracker[] => {
    const known = names
      .filter((name) => name.startsWith(`${target}-`) && existsSync(join(path, name, STATE_FILE)))
      .map((name) => {
        const namedBy = inside(path, join(name, STATE_FILE));
        return { target, place: statePlace(namedBy), namedBy };
      });
    return known.length > 0 ? known : [{ target, place: {} }];
  });
}

/** Finds out before training what a tracker lacks, and whether only a file names its place. @throws BadInput */
export function checkTrackers(
  folder: string,
  asked: readonly AskedTracker[],
  environment: Environment,
): void {
  for (const { target, place, namedBy } of asked) {
    if (namedBy !== undefined) checkNamedPlace(target, folder, place, namedBy, environment);
    destinationOf(target, folder, place, environment);
  }
}

/** The options of `npx rl-playground track` for a tracker, each with its value in one word: no value is read as another option. */
export const trackWords = ({ target, place }: AskedTracker): string[] =>
  Object.entries({ to: target, ...place }).map(([option, value]) => `--${option}=${value}`);

/** Starts the trackers of a run that this process is about to write. They end by themselves when it has ended and all is sent. @returns their processes. */
export function startTrackers(
  folder: string,
  asked: readonly AskedTracker[],
  say: (text: string) => void,
): ChildProcess[] {
  return asked.map((tracker, i) => {
    const { target } = tracker;
    const path = inside(folder, join(TRACKING_FOLDER, `${target}${i === 0 ? '' : `-${i + 1}`}.log`));
    const log = writing(path, () => {
      mkdirSync(resolve(folder, TRACKING_FOLDER), { recursive: true });
      return openSync(path, 'a');
    });
    const child = spawn(
      process.execPath,
      [
        ...programWords('track'),
        resolve(folder),
        ...trackWords(tracker),
        '--follow',
        '--writer',
        String(process.pid),
      ],
      // Ctrl-C ends the run; what it wrote until then is still to be sent.
      { cwd: programFolder, detached: true, stdio: ['ignore', log, log] },
    );
    closeSync(log);
    child.once('error', (error) => say(`warning: --track ${target} did not start: ${error.message}.`));
    child.unref();
    say(`Tracking: ${target}, by a process of its own (${child.pid ?? 'none'}); what it says is in ${path}.`);
    return child;
  });
}
