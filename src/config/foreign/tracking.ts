/** What the logging keys of other systems' files ask for, as options of `npm run track`. */
import { quoted } from '../fields.ts';
import { listOf } from '../files/parse.ts';
import type { Account, KeyReader } from './reader.ts';

export const TRACK_TARGETS = ['tensorboard', 'wandb', 'mlflow', 'trackio'] as const;
export type TrackTarget = (typeof TRACK_TARGETS)[number];

/** A tracker that a file asks for. */
export interface AskedTracker {
  readonly target: TrackTarget;
  /** Options behind `--to`, as words. */
  readonly words: readonly string[];
}

/** Stands for the folder of a run that is not there yet. */
export const RUN_DIR = 'RUN_DIR';

/** A word as a shell takes it whole. */
const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** As it is typed. */
export function trackCommand({ target, words }: AskedTracker, folder = RUN_DIR): string {
  const rest = ['--to', target, ...words].map(shellWord).join(' ');
  return `npm run track -- ${folder === RUN_DIR ? RUN_DIR : shellWord(folder)} ${rest}`;
}

/** How files name the trackers that are known here. */
const NAMES: Readonly<Record<TrackTarget, string>> = {
  tensorboard: 'TensorBoard',
  wandb: 'W&B',
  mlflow: 'MLflow',
  trackio: 'Trackio',
};

/** Keys of TRL's trainers, and of scripts around them, that name a place at a tracker: the option that each becomes. */
const PLACES: Readonly<Record<TrackTarget, Readonly<Record<string, string>>>> = {
  tensorboard: { logging_dir: '--dir', run_name: '--name' },
  wandb: { wandb_project: '--project', wandb_entity: '--entity', run_name: '--name' },
  mlflow: { mlflow_experiment_name: '--project', mlflow_tracking_uri: '--url', run_name: '--name' },
  trackio: { trackio_space_id: '--space', project: '--project', run_name: '--name' },
};

const isTarget = (word: unknown): word is TrackTarget => TRACK_TARGETS.some((target) => target === word);

/** Notes a tracker that is asked for, and the command that does it. `asked`: the keys with their values. */
function ask(account: Account, tracker: AskedTracker, asked: readonly string[]): void {
  account.tracking.push(tracker);
  account.replaced.push(
    `Logging: ${asked.join(', ')}: \`${trackCommand(tracker)}\` sends the run to ${NAMES[tracker.target]}, after it or with --follow during it, and --track ${tracker.target} beside the training; nothing is sent without one of them.`,
  );
}

/** The trackers that `report_to` names; those that some other key implies where it is not there. */
function targetsOf(reader: KeyReader, account: Account): readonly TrackTarget[] {
  if (!reader.has('report_to'))
    return TRACK_TARGETS.filter((target) =>
      Object.keys(PLACES[target]).some((key) => key !== 'run_name' && key !== 'project' && reader.has(key)),
    );
  const value = reader.value('report_to');
  const words = listOf(value) ?? [value];
  if (words.includes('all')) return TRACK_TARGETS;
  for (const word of words.filter((each) => !isTarget(each)))
    account.ignore(
      reader.path('report_to'),
      word,
      word === 'none'
        ? 'nothing is sent unless npm run track or --track says so'
        : `npm run track sends to ${TRACK_TARGETS.join(', ')}`,
    );
  return words.filter(isTarget);
}

/** Reads the keys by which a file of TRL asks for a tracker. */
export function readTracking(reader: KeyReader, account: Account): void {
  const reportTo = reader.has('report_to') ? reader.value('report_to') : undefined;
  for (const target of targetsOf(reader, account)) {
    const places = Object.entries(PLACES[target]).flatMap(([key, option]) => {
      const value = reader.has(key) ? reader.text(key) : undefined;
      return value === undefined ? [] : [{ key, option, value }];
    });
    ask(
      account,
      { target, words: places.flatMap(({ option, value }) => [option, value]) },
      [
        ...(reportTo === undefined ? [] : [`report_to ${quoted(reportTo)}`]),
        ...places.map(({ key, value }) => `${key} ${quoted(value)}`),
      ],
    );
  }
}

/** What RLVR's group `logging` and the names beside it ask for. `places`: what its file says, or the keys beside it. */
export function askMlflow(
  account: Account,
  asked: readonly string[],
  places: { readonly experiment?: string; readonly run?: string; readonly url?: string },
): void {
  const { experiment, run, url } = places;
  const words = [
    ...(experiment === undefined ? [] : ['--project', experiment]),
    ...(run === undefined ? [] : ['--name', run]),
    ...(url === undefined ? [] : ['--url', url]),
  ];
  ask(account, { target: 'mlflow', words }, asked);
}
