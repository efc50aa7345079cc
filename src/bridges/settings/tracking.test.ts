/** Each logging key of a file is done by a command that the report names, or named as what it can't be. */
import { expect, test } from 'vitest';
import { readSettings } from './read.ts';
import { trackCommand, withRunFolder } from '@rl-playground/run/settings';

const WHOLE = 'datasets: {syllogism: {}}\nmodel_name_or_path: some/model\nmax_steps: 10\n';

function read(text: string) {
  const result = readSettings(text);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  const { tracking = [], replaced, ignored } = result;
  const said = replaced.filter((sentence) => sentence.startsWith('Logging'));
  return {
    commands: tracking.map(trackCommand),
    said,
    ignored: ignored.map(({ path, value }) => [path, value]),
  };
}

test.each<[file: string, commands: string[]]>([
  [
    'report_to: tensorboard\nlogging_dir: out/logs dir',
    ["npx rl-playground track RUN_DIR --to tensorboard --dir 'out/logs dir'"],
  ],
  ['logging_dir: out/logs', ['npx rl-playground track RUN_DIR --to tensorboard --dir out/logs']],
  [
    'report_to: wandb\nrun_name: "it\'s"\nwandb_project: p\nwandb_entity: team',
    ["npx rl-playground track RUN_DIR --to wandb --project p --entity team --name 'it'\\''s'"],
  ],
  ['wandb_project: p', ['npx rl-playground track RUN_DIR --to wandb --project p']],
  ['report_to: mlflow\nrun_name: 7', ['npx rl-playground track RUN_DIR --to mlflow --name 7']],
  [
    'report_to: [trackio, tensorboard, trackio]\ntrackio_space_id: me/board\nproject: sums',
    [
      'npx rl-playground track RUN_DIR --to trackio --space me/board --project sums',
      'npx rl-playground track RUN_DIR --to tensorboard',
    ],
  ],
  [
    'report_to: all\nrun_name: a',
    ['tensorboard', 'wandb', 'mlflow', 'trackio'].map(
      (to) => `npx rl-playground track RUN_DIR --to ${to} --name a`,
    ),
  ],
])('TRL: %s', (file, commands) => {
  const found = read(`${WHOLE}${file}\n`);
  expect(found.commands).toEqual(commands);
  expect(found.ignored).toEqual([]);
  for (const [i, sentence] of found.said.entries()) expect(sentence).toContain(`\`${commands[i] ?? ''}\``);
});

test.each<[file: string, ignored: unknown[]]>([
  [
    'report_to: none\nrun_name: a',
    [
      ['report_to', 'none'],
      ['run_name', 'a'],
    ],
  ],
  ['report_to: []', [['report_to', []]]],
  [
    'report_to: [comet_ml]\nlogging_steps: 5',
    [
      ['report_to', 'comet_ml'],
      ['logging_steps', 5],
    ],
  ],
  ['report_to: wandb\nrun_name: {a: 1}', [['run_name', { a: 1 }]]],
])('TRL, what is not sent is named: %s', (file, ignored) => {
  const found = read(`${WHOLE}${file}\n`).ignored;
  expect(found).toHaveLength(ignored.length);
  expect(found).toEqual(expect.arrayContaining(ignored));
});

const MAIN = `
defaults: [_self_, {logging: mlflow_logger}, {training@rlvr_training: rlvr_small}]
experiment_name: sums
run_name: first
`;

test('RLVR: the logger of its main file is MLflow’s, with the experiment that its own file makes of the name', () => {
  const { commands, ignored, said } = read(MAIN);
  expect(commands).toEqual([
    'npx rl-playground track RUN_DIR --to mlflow --project /Shared/sums --name first',
  ]);
  expect(ignored).toEqual([]);
  expect(said).toHaveLength(1);
});

test('RLVR: a logger that is written out says where itself', () => {
  const logger = (uri: string): string =>
    `${MAIN}logging:\n  name: mlflow_logger\n  instance:\n    experiment_name: /Users/me/\${experiment_name}\n    tracking_uri: ${uri}\n`;
  expect(read(logger('http://127.0.0.1:5000')).commands).toEqual([
    'npx rl-playground track RUN_DIR --to mlflow --project /Users/me/sums --name first --url http://127.0.0.1:5000',
  ]);
  const { commands, said } = read(logger('databricks'));
  expect(commands).toEqual([
    'npx rl-playground track RUN_DIR --to mlflow --project /Users/me/sums --name first',
  ]);
  expect(said[0]).toContain(
    'tracking_uri "databricks" (which MLFLOW_TRACKING_URI has to name as an address)',
  );
});

test('a command is told for the folder of the run, where that is known', () => {
  const [sentence = ''] = read(`${WHOLE}report_to: wandb\n`).said;
  expect(withRunFolder(sentence, 'my runs/$&')).toContain(
    "`npx rl-playground track 'my runs/$&' --to wandb`",
  );
});
