/**
 * CONTRIBUTING.md must be true: what it says to touch is enough, and nothing is listed in vain. A copy of the repository gets an example of
 * each addition, in just the files that its section lists; then the copy is type-checked, and its tests look for what was added.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everyProof } from '@rl-playground/base/testing/proofs';
import { repository } from '../../src/cli/tools.ts';

/** A new file's text, or what is put behind (or before) a piece of text that a file has once. */
type Edit = string | { readonly at: string; readonly before?: string; readonly behind?: string };
type Addition = Readonly<Record<string, Edit | readonly Edit[]>>;

const TASK = `import { uniformInt } from '../base/random.ts';
import { defineTask } from './define/define.ts';

const doubles = (word: string): number => [...word].filter((letter, i) => letter === word[i + 1]).length;

/** Counts how often the next letter is the same. */
export const doubleLetters = defineTask({
  name: 'double_letters',
  title: 'Double letters',
  summary: 'Count the places of a word where two equal letters stand side by side.',
  source: 'Example of CONTRIBUTING.md',
  family: 'words',
  fields: {},
  levels: [{}],
  draw(draw) {
    const word = Array.from({ length: 6 }, () => (uniformInt(draw, 0, 1) === 0 ? 'a' : 'b')).join('');
    return { question: \`How often do two equal letters stand side by side in \${word}?\`, answer: \`\${doubles(word)}\`, data: { word } };
  },
  messages: ({ question }) => [{ role: 'user', content: question }],
  score({ answer }, { text }) {
    const correct = text.trim() === answer;
    return { total: correct ? 1 : 0, parts: { correct: correct ? 1 : 0 }, correct, format: true, reason: correct ? 'right' : 'wrong', extracted: text.trim() };
  },
  workedAnswer: ({ answer }) => answer,
  demonstration: ({ answer }) => answer,
});
`;

const OP = `/** y = x². */
import type * as tf from '../../backend/tf.ts';
import { util } from '../../backend/tf.ts';
import { input, registerOp, runSingle } from '../../backend/kernelRegistry.ts';
import { launchItems } from '../shared/launch.ts';

/** \`x\` of any shape → the same shape. */
export function square(x: tf.Tensor): tf.Tensor {
  return runSingle('RlSquare', { x });
}

registerOp<object>({
  name: 'RlSquare',
  wasm(memory, inputs) {
    const x = input(inputs, 'x');
    const y = memory.allocate(x.shape, 'float32');
    const values = memory.floats(x);
    memory.floats(y).set(values.map((value) => value * value));
    return [y];
  },
  webgpu(gpu, inputs) {
    const x = input(inputs, 'x');
    const y = gpu.allocate(x.shape, 'float32');
    launchItems(gpu, {
      key: 'square',
      items: util.sizeFromShape(x.shape),
      reads: { 'x: f32': x },
      writes: { 'y: f32': y },
      body: () => /* wgsl */ \`y[item] = x[item] * x[item];\`,
    });
    return [y];
  },
});
`;

const OP_SUITE = `import { describe, expect, test } from 'vitest';
import * as tf from '../../backend/tf.ts';
import { difference } from '../testing/compare.ts';
import { freshInputs } from '../testing/random.ts';
import { square } from './square.ts';

export function squareSuite(): void {
  describe('square', () => {
    for (const size of [1, 301]) {
      test(\`\${size} elements\`, async () => {
        const random = freshInputs();
        const values = random.floats(size);
        const exact = Float64Array.from(values, (value) => value * value);
        expect(await difference('square', square(tf.tensor1d(values)), exact, 1e-6, random.seed)).toBeNull();
      });
    }
  });
}
`;

/** The files of each addition, by the heading of its section. */
const ADDITIONS: Readonly<Record<string, Addition>> = {
  'A task': {
    'src/tasks/doubleLetters.ts': TASK,
    'src/tasks/allTasks.ts': [
      {
        at: "import { gsm8k } from './gsm8k.ts';\n",
        before: "import { doubleLetters } from './doubleLetters.ts';\n",
      },
      { at: '  reverseDigits,\n', behind: '  doubleLetters,\n' },
    ],
    'docs/tasks.md': {
      at: '\n## Checking\n',
      before: '\n`double_letters`: how often two equal letters stand side by side.\n',
    },
  },
  'A loss': {
    'src/engine/loss/lossRows.ts': {
      at: '  importance_sampling: {\n',
      before: `  positive_reinforce: {
    label: 'REINFORCE, positive only',
    ignoresOld: true,
    sentence: 'Answers above the baseline become likelier; others teach nothing.',
    clips: null,
    reduction: 'sequence_mean',
    source: 'Example of CONTRIBUTING.md',
  },
`,
    },
    'src/engine/loss/losses.ts': [
      {
        at: '/** Importance sampling (Tinker)',
        before: `/** ℓ = −max(A, 0) · log p. */
export const positiveReinforce: TokenLoss = ({ logprob, advantage }) =>
  tf.neg(tf.mul<tf.Tensor2D>(tf.relu(advantage), logprob));

`,
      },
      { at: '  reinforce: () => reinforce,\n', behind: '  positive_reinforce: () => positiveReinforce,\n' },
    ],
    'src/engine/testing/lossReference.ts': {
      at: "    case 'importance_sampling':\n",
      before: "    case 'positive_reinforce':\n      return -Math.max(advantage, 0) * logprob;\n",
    },
    'src/engine/calls/engineLosses.test.ts': {
      at: '  importance_sampling: (inputs) =>',
      before: `  positive_reinforce: (inputs, B) =>
    summed(tf.neg(tf.mul(tf.relu(inputs.advantage), inputs.logprob)), inputs, tf.div(perToken(inputs), B)),
`,
    },
    'src/engine/loss/losses.test.ts': {
      at: "        'importance_sampling',\n        'ppo',",
      before: "        'positive_reinforce',\n",
    },
    'src/engine/loss/reduction.test.ts': {
      at: "      importance_sampling: 'sum',\n      ppo",
      before: "      positive_reinforce: 'sequence_mean',\n",
    },
    'docs/losses.md': {
      at: '| `importance_sampling` ',
      before: '| `positive_reinforce` | −max(A, 0) log p | `sequence_mean` | Example of CONTRIBUTING.md |\n',
    },
  },
  'A metric': {
    'src/run/metrics/reward.ts': {
      at: 'export const REWARD_METRICS = {\n',
      behind: `  rewardRange: metric('reward', {
    names: ['env/all/reward/range'],
    label: 'Range of the reward',
    formula: 'largest R of the step less the smallest',
    value: ({ rollouts }) => {
      const rewards = rollouts.map(({ reward: { total } }) => total);
      return Math.max(...rewards) - Math.min(...rewards);
    },
  }),
`,
    },
    'src/run/metrics/metrics.test.ts': {
      at: '  rewardGroupMean: (2 / 3 + 1) / 2,\n',
      before: '  rewardRange: 1.5,\n',
    },
    'docs/metrics.md': {
      at: '| `env/all/reward/std`, ',
      before: '| `env/all/reward/range` | largest R of the step less the smallest | reward |\n',
    },
  },
  'An op': {
    'src/engine/kernels/square/square.ts': OP,
    'src/engine/kernels/square/square.suite.ts': OP_SUITE,
    'src/engine/kernels/index.ts': {
      at: "export * from './squaredNorm/",
      before: "export * from './square/square.ts';\n",
    },
    'src/engine/kernels/testing/suites.ts': [
      {
        at: 'import { squaredNormSuite }',
        before: "import { squareSuite } from '../square/square.suite.ts';\n",
      },
      { at: '  squaredNormSuite();\n', before: '  squareSuite();\n' },
    ],
  },
  'A setting': {
    'src/run/settings/schema/sampling.ts': {
      at: '  numGenerators: field(',
      before: `  minTokens: field(count(0, 4096), {
    label: 'Fewest tokens',
    help: 'Shortest answer. 0 is off.',
    default: 0,
  }),
`,
    },
    'src/bridges/handoff/settings/common.ts': {
      at: 'export const COMMON = {\n',
      behind:
        "  minTokens: ({ config }) => where(config.minTokens > 0, none('answers may be of any length there')),\n",
    },
  },
};

/** The tests of the copy that check the additions. */
const CHECK = `import { expect, test } from 'vitest';
import { defaultConfig } from './run/settings/presets/presets.ts';
import { LOSSES } from './engine/loss/lossRows.ts';
import { configFromQuery } from './run/settings/url.ts';
import { LOSS_NAMES } from './engine/loss/losses.ts';
import { METRICS } from './run/metrics/metrics.ts';
import { taskByName, TASK_NAMES } from './tasks/allTasks.ts';

test('the task is in the menu, asks and scores', () => {
  expect(TASK_NAMES).toContain('double_letters');
  const task = taskByName('double_letters');
  const problem = task.generate(1, 'train', 0, task.defaults);
  const completion = { text: task.workedAnswer(problem), tokens: [], stopReason: 'eos' as const };
  expect(task.score(problem, completion, { mode: 'strict', config: task.defaults }).correct).toBe(true);
  expect(configFromQuery('task=double_letters').config.task).toBe('double_letters');
});

test('the loss can be chosen', () => {
  expect(Object.keys(LOSSES)).toContain('positive_reinforce');
  expect(LOSS_NAMES).toContain('positive_reinforce');
  expect(configFromQuery('loss=positive_reinforce')).toMatchObject({ errors: [], config: { loss: 'positive_reinforce' } });
});

test('the metric is logged', () => expect(METRICS.map(({ key }) => key)).toContain('rewardRange'));

test('the setting has its default, and goes through a link', () => {
  expect(defaultConfig('reverse_digits')).toMatchObject({ minTokens: 0 });
  expect(configFromQuery('minTokens=3')).toMatchObject({ errors: [], config: { minTokens: 3 } });
});
`;

const copy = mkdtempSync(join(tmpdir(), 'rl-playground-contributing-'));
const page = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');

/** Files that the bullets of a section begin with. */
function listedFiles(heading: string): string[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const bullets = section.split('\n').filter((line) => line.startsWith('- '));
  return bullets.flatMap((line) => {
    const [names = ''] = /^- (`[\w./]+`(, )?)+/.exec(line) ?? [];
    return [...names.matchAll(/`([\w./]+)`/g)].map(([, name]) => name ?? '');
  });
}

function edited(file: string, edits: Edit | readonly Edit[]): void {
  const path = join(copy, file);
  for (const edit of [edits].flat()) {
    if (typeof edit === 'string') {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, edit);
      continue;
    }
    const text = readFileSync(path, 'utf8');
    const parts = text.split(edit.at);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times, not once: ${edit.at}`);
    writeFileSync(path, parts.join(`${edit.before ?? ''}${edit.at}${edit.behind ?? ''}`));
  }
}

function run(tool: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repository, 'node_modules', tool), ...args],
    {
      cwd: copy,
      encoding: 'utf8',
      // Vitest would take this run for a part of its own, and the copy has no reference data beside it.
      env: Object.fromEntries(
        Object.entries(process.env).filter(
          ([name]) => !name.startsWith('VITEST') && name !== 'REQUIRE_SHARED',
        ),
      ),
    },
  );
  return { status, output: stdout + stderr };
}

/** Files of the repository, without what programs write beside them; in a small proof those that a check reads. */
function ownFiles(): string[] {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const names = execFileSync('git', words, { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26 });
  const wanted = everyProof ? /./ : /^(src|docs)\/|^[^/]*\.json$/;
  return names.split('\0').filter((name) => wanted.test(name) && existsSync(join(repository, name)));
}

beforeAll(() => {
  for (const file of ownFiles()) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repository, file), join(copy, file));
  }
  // Installed packages are the repository's; those in `src` are the copy's own.
  const [installed, ours] = [join(repository, 'node_modules'), '@rl-playground'];
  mkdirSync(join(copy, 'node_modules', ours), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== ours) symlinkSync(join(installed, name), join(copy, 'node_modules', name));
  for (const name of readdirSync(join(installed, ours)))
    symlinkSync(join(copy, 'src', name), join(copy, 'node_modules', ours, name));
  for (const addition of Object.values(ADDITIONS))
    for (const [file, edits] of Object.entries(addition)) edited(file, edits);
  writeFileSync(join(copy, 'src/contributed.test.ts'), CHECK);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe.each(Object.entries(ADDITIONS))('%s', (heading, addition) => {
  test('is added by touching the files that its section lists, and no others', () => {
    expect(listedFiles(heading).toSorted()).toEqual(Object.keys(addition).toSorted());
  });
});

/** Where additions go, and what is typed by them; with PROOFS=all everything, the page and the programs too. */
const ROOMS = ['tasks', 'engine', 'run'].map((room) => `src/${room}`);

test('the additions compile', () => {
  const whole = JSON.parse(readFileSync(join(copy, 'tsconfig.json'), 'utf8')) as { include: string[] };
  const include = everyProof ? whole.include : [...ROOMS, 'src/*.ts', 'src/**/*.d.ts'];
  writeFileSync(join(copy, 'tsconfig.additions.json'), JSON.stringify({ ...whole, include }));
  // Several checkers would each work out the same types again.
  const { status, output } = run('typescript/bin/tsc', '-p', 'tsconfig.additions.json', '--checkers', '1');
  expect(output).toBe('');
  expect(status).toBe(0);
});

// What a table or a list lacks does not compile; a page that lacks it is found by the tests of the copy.
test.runIf(everyProof)('the additions are found, and the pages of documentation hold them', () => {
  const files = [
    'src/contributed.test.ts',
    'src/run/loop/lossDocs.test.ts',
    'src/engine/loss/lossGradients.test.ts',
    'src/engine/loss/losses.test.ts',
    'src/engine/loss/reduction.test.ts',
    'src/engine/calls/engineLosses.test.ts',
    'src/run/metrics/documentation.test.ts',
    'src/run/metrics/metrics.test.ts',
    'src/engine/kernels/kernels.test.ts',
  ];
  expect(files.filter((file) => !existsSync(join(copy, file)))).toEqual([]);
  const { status, output } = run(
    'vitest/vitest.mjs',
    'run',
    // It lies in node_modules, which the copy has from here.
    '--no-cache',
    '--project=unit',
    '-t',
    'the task is|the loss can|the metric is|the setting has|positive_reinforce|all losses|gives each loss|rewardRange|^square ',
    ...files,
  );
  expect(output).toMatch(/Tests .*22 passed/);
  expect(status).toBe(0);
});
