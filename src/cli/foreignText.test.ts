/** Escape sequences in what may be a stranger's, planted into each key and each text of each file in turn: none reaches the terminal, whatever is said of it. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { defaultConfig } from '@rl-playground/run/settings';
import { newKey, type Announcement } from '@rl-playground/machines';
import { MachineNews } from '@rl-playground/machines/joining';
import { writeTrackedRun } from '@rl-playground/run/testing/trackedRuns';
import { captured } from './testing/captured.ts';
import exportProgram from './export.ts';
import { reporter } from './generator.ts';
import grade from './grade.ts';
import handoff from './handoff.ts';
import model from './model.ts';
import plan from './plan.ts';
import { printLine } from '@rl-playground/base/print';
import { program, type Program } from './program.ts';
import report from './report.ts';
import { parseTrainArguments } from './trainArguments.ts';
import { printer } from './trainReport.ts';

/** Sets the clipboard, colours by a C1 control, and turns the direction. */
const PLANTED = '\u001b]52;c;c2VjcmV0\u0007\u009b31m\u202e';
const ACTING = [...PLANTED].filter((character) => !/[\x20-\x7e]/.test(character));
/** The spelled-out forms, in text and in JSON. */
const SHOWN = /\\x1b\]52|\\u001b\]52/;

const folder = mkdtempSync(join(tmpdir(), 'rl-playground-foreign-'));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);

function written(name: string, contents: string | Uint8Array): string {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), contents);
  return at(name);
}

/** The value with the sequence in one of its texts or keys, in each of them in turn. */
function planted(value: unknown): unknown[] {
  if (typeof value === 'string') return [value + PLANTED];
  if (Array.isArray(value)) {
    const all: readonly unknown[] = value;
    return all.flatMap((each, i) => planted(each).map((changed) => all.with(i, changed)));
  }
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  return entries.flatMap(([key, each], i) => [
    Object.fromEntries(entries.with(i, [key + PLANTED, each])),
    ...planted(each).map((changed) => Object.fromEntries(entries.with(i, [key, changed]))),
  ]);
}

interface Reader {
  readonly file: string;
  /** The contents of the file. */
  readonly value: unknown;
  /** The file's contents; JSON where it is left out. */
  readonly contents?: (value: unknown) => string | Uint8Array;
  /** False if nothing of it is printed; true by default. */
  readonly isSaid?: boolean;
  /** Programs that read it, and their words, given its path. */
  readonly programs: readonly (readonly [Program, (path: string) => readonly string[]])[];
}

const starter = fileURLToPath(new URL('../../public/models/starter/', import.meta.url));
const jsonOf = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
cpSync(starter, at('model'), { recursive: true });
writeTrackedRun(at('run'), 2);

const weights = readFileSync(join(starter, 'model.safetensors'));
const headerLength = Number(weights.readBigUInt64LE());
function weightsWith(header: unknown): Uint8Array {
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([length, text, weights.subarray(8 + headerLength)]);
}

/** Settings as `npx rl-playground train` reads them, without the run. */
const settings = program(parseTrainArguments, (parsed) => {
  if ('notes' in parsed) for (const note of parsed.notes) printLine(note);
});
const chat = { op: 'chat', messages: [{ role: 'user', content: '1' }], add_generation_prompt: true };
const asked = written('rows.jsonl', `${JSON.stringify(chat)}\n{"op":"info"}\n`);
const asking = [model, () => [at('model'), '--in', asked]] as const;
const exporting = [exportProgram, () => ['--model', at('model'), '--out', at('out')]] as const;
const runs = [
  [report, () => [at('run'), '--out', at('report.html')]],
  [handoff, () => [at('run'), '--to', 'trl', '--out', at('handed')]],
] as const;
const ofRun = (file: string, value: unknown, isSaid = false): Reader => ({
  file: `run/${file}`,
  value,
  isSaid,
  programs: runs,
});
const lines = (value: unknown): string => `${JSON.stringify(value)}\n`;

const READERS: readonly Reader[] = [
  ...['config.json', 'tokenizer_config.json', 'generation_config.json'].map((name) => ({
    file: `model/${name}`,
    value: jsonOf(join(starter, name)),
    isSaid: name !== 'generation_config.json',
    programs: [asking],
  })),
  {
    file: 'model/model.safetensors',
    // The first tensors stand for all.
    value: JSON.parse(weights.subarray(8, 8 + headerLength).toString()) as unknown,
    contents: weightsWith,
    programs: [exporting],
  },
  {
    file: 'model/adapter_config.json',
    value: {
      peft_type: 'LORA',
      r: 2,
      lora_alpha: 4,
      target_modules: ['q_proj'],
      base_model_name_or_path: 'x',
    },
    isSaid: false,
    programs: [exporting],
  },
  ofRun('config.json', jsonOf(at('run/config.json')), true),
  ofRun('train_results.json', { model: 'x', task: 'gcd' }),
  ofRun('label.json', { name: 'x', note: 'y' }),
  {
    file: 'settings.json',
    value: { task: 'sum_digits', model: 'starter', lrSchedule: 'constant', loss: 'grpo' },
    programs: [[settings, (path) => ['--config', path]]],
  },
  {
    file: 'settings.yaml',
    value: { task: 'sum_digits', learning_rate: 'x', tracking: ['wandb'] },
    programs: [[settings, (path) => ['--config', path]]],
  },
  {
    file: 'limits.json',
    value: { maxBufferSize: 'x', hostBytes: 'y' },
    programs: [[plan, (path) => ['--limits', path]]],
  },
  {
    file: 'graded.jsonl',
    value: { task: 'gsm8k', text: '\\boxed{1}', gold: '1' },
    contents: lines,
    programs: [[grade, (path) => [path]]],
  },
  {
    file: 'asked.jsonl',
    value: chat,
    contents: lines,
    programs: [[model, (path) => ['starter', '--in', path]]],
  },
];

/** @returns how many of the texts show the sequence as text. */
function shownIn(texts: readonly string[]): number {
  for (const text of texts) expect(ACTING.filter((character) => text.includes(character))).toEqual([]);
  return texts.filter((text) => SHOWN.test(text)).length;
}

describe('a sequence in', () => {
  test.each(READERS)(
    '$file stays text',
    async ({ file, value, contents = JSON.stringify, isSaid = true, programs }) => {
      const before = (() => {
        try {
          return readFileSync(at(file));
        } catch {
          return null;
        }
      })();
      const said: string[] = [];
      for (const changed of planted(value).slice(0, 60)) {
        const path = written(file, contents(changed));
        for (const [each, words] of programs) {
          const { stdout, stderr } = await captured(each, ...words(path));
          said.push(stdout + stderr);
          for (const made of ['out', 'handed']) rmSync(at(made), { recursive: true, force: true });
        }
      }
      if (before === null) rmSync(at(file));
      else writeFileSync(at(file), before);
      expect(shownIn(said) > 0).toBe(isSaid);
    },
  );

  test('answers, questions and notices of a run, and in what machines and runs are called, stays text', async () => {
    const reward = { correct: true, format: true, total: 1, parts: {}, reason: PLANTED, extracted: PLANTED };
    const show = printer(defaultConfig('sum_digits'), true, 0);
    const news = new MachineNews();
    const tell = reporter();
    news.subscribe(() => tell(news.snapshot()));
    const run = newKey().getPublicKey();
    const announced: Announcement = {
      kind: 'run',
      run,
      name: PLANTED,
      about: PLANTED,
      computation: PLANTED,
      model: { name: PLANTED, digest: PLANTED, bytes: 0 },
      firstWanted: 0,
      dropped: [],
    };
    const { stdout, stderr } = await captured(() => {
      show({
        phase: 'training',
        sftTokens: [],
        rolloutLines: '',
        overriddenPlan: null,
        savedCheckpoints: [],
        sft: [],
        metrics: [],
        evaluations: [],
        notices: [{ id: 'x', kind: 'warning', title: PLANTED, text: PLANTED }],
        rollouts: [{ problem: { answer: '' }, question: PLANTED, text: PLANTED, reward }],
      });
      news.hear({ kind: 'waiting', others: [PLANTED] });
      news.hear({ kind: 'joined', run: announced });
      news.hear({ kind: 'left', run: announced, reason: PLANTED });
      news.hear({ kind: 'base', text: PLANTED });
      news.hear({ kind: 'trouble', text: PLANTED });
      return Promise.resolve(0);
    });
    const each = (stdout + stderr).split('\n').filter((line) => line.includes('52;c'));
    expect(each.length).toBeGreaterThan(6);
    expect(shownIn(each)).toBe(each.length);
  });
});
