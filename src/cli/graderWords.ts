/** The grader of a task of the user's own, as the words of a command line say it: its settings, or a program that scores. */
import { basename } from 'node:path';
import { Option, type Command } from 'commander';
import { BadInput, messageOf, orBadInput } from '@rl-playground/base/errors';
import { fromCaller } from '@rl-playground/engine/parts/node';
import { readText } from '@rl-playground/run/disk';
import {
  CUSTOM_PREFIX,
  customTask,
  GRADER_DEFAULTS,
  GRADER_WORDS,
  graderSettings,
  itemJson,
  SYSTEM_PROMPTS,
  type CustomTask,
  type GraderKind,
  type GraderSettings,
  type ScoredItem,
} from '@rl-playground/tasks/parts';
import { quickJsFile } from './places.ts';

export interface GraderWords {
  readonly grader?: Exclude<GraderKind, 'code'>;
  /** Words of the form `NAME=VALUE`. */
  readonly graderSetting?: readonly string[];
  /** The file of a program that scores. */
  readonly score?: string;
  readonly systemPrompt?: string;
}

/** A text on one line, with the signs of patterns as they are. */
export const quotedLine = (text: string): string => `"${text.replaceAll('\n', '\\n')}"`;

/** The option that says how answers are graded, for sentences; null if none is given. */
export const graderOption = ({ grader, graderSetting = [], score }: GraderWords): string | null =>
  score !== undefined
    ? '--score'
    : grader !== undefined
      ? '--grader'
      : graderSetting.length > 0
        ? '--grader-setting'
        : null;

const GRADERS = (Object.keys(GRADER_DEFAULTS) as GraderKind[]).filter((kind) => kind !== 'code');

export function addGraderOptions(line: Command): Command {
  return line
    .addOption(
      new Option(
        '--grader <name>',
        'how answers to a task of your own, own:NAME, are graded (answer_tag by default)',
      ).choices(GRADERS),
    )
    .addOption(
      new Option(
        '--grader-setting <name=value>',
        'a setting of the grader, such as pattern=… of regex, relative=0.01 of number; may be repeated',
      )
        .argParser((text: string, before: readonly string[]) => [...before, text])
        .default([], 'none'),
    )
    .option('--score <file>', 'a program score(problem, completion) that grades, in TypeScript or JavaScript')
    .option(
      '--system-prompt <text>',
      'what the model is told in such a task (the grader\u2019s usual words)',
    );
}

/** The settings of each grader before words change them. Where nobody writes a pattern, each row's answer is one. */
const FIRST: Readonly<Record<GraderKind, GraderSettings>> = {
  ...GRADER_DEFAULTS,
  regex: { ...GRADER_DEFAULTS.regex, pattern: '', form: '{answer}' },
};

/** The names and first values of the settings that words may change. */
const settingsOf = (kind: GraderKind): Map<string, unknown> =>
  new Map(Object.entries(FIRST[kind]).filter(([name]) => name !== 'kind' && name !== 'source'));

/** A value of the same type as `before`. @throws BadInput */
function valueOf(name: string, text: string, before: unknown): unknown {
  if (typeof before === 'string') return text;
  const value = typeof before === 'number' ? Number(text) : { true: true, false: false }[text];
  if (value !== undefined && text.trim() !== '' && !Number.isNaN(value)) return value;
  const wanted = typeof before === 'number' ? 'a number' : 'true or false';
  throw new BadInput(`--grader-setting ${name}=${text}: ${name} is ${wanted}.`);
}

/** The settings that words name. @throws BadInput */
function namedSettings(kind: GraderKind, words: readonly string[]): Record<string, unknown> {
  const known = settingsOf(kind);
  const names = [...known.keys()].join(', ') || 'none';
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=');
      if (at < 1)
        throw new BadInput(`--grader-setting ${word}: write NAME=VALUE. The settings of ${kind}: ${names}.`);
      const name = word.slice(0, at).replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (!known.has(name))
        throw new BadInput(
          `--grader-setting ${word}: the grader ${kind} has no setting "${name}". Its settings: ${names}.`,
        );
      return [name, valueOf(name, word.slice(at + 1), known.get(name))];
    }),
  );
}

/** A right answer by a pattern that is plain text around one group, such as `#### (.+)`; null for any other. */
function formOf(pattern: string): string | null {
  const [, before = '', after = ''] =
    /^([^\\^$.*+?()[\]{}|]*)\([^()]*\)([^\\^$.*+?()[\]{}|]*)$/.exec(pattern) ?? [];
  return before + after === '' ? null : `${before}{answer}${after}`;
}

/** @throws BadInput */
function sourceOf(path: string): string {
  const source = orBadInput(
    () => readText(fromCaller(path)),
    (why) => `--score ${path} can't be read: ${why}.`,
  );
  if (source.trim() !== '') return source;
  throw new BadInput(`--score ${path}: the file is empty. It needs a function score(problem, completion).`);
}

/** The grader that the words name, with its settings. @throws BadInput */
export function graderOfWords({ grader, graderSetting = [], score }: GraderWords): GraderSettings {
  if (score !== undefined && grader !== undefined)
    throw new BadInput(`--score grades by a program of its own: leave out --grader ${grader}.`);
  const kind = score === undefined ? (grader ?? 'answer_tag') : 'code';
  const named = namedSettings(kind, graderSetting);
  const pattern = named['pattern'];
  const checked = graderSettings.safeParse({
    ...FIRST[kind],
    ...(typeof pattern === 'string' && { form: formOf(pattern) ?? '{answer}' }),
    ...(score !== undefined && { source: sourceOf(score) }),
    ...named,
  });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  const at = String(issue?.path.at(-1) ?? '');
  throw new BadInput(`${at === 'source' ? `--score ${score}` : `--grader-setting ${at}`}: ${issue?.message}`);
}

/** The words for the model: the grader's usual ones, unless they ask for a form that its pattern does not look for. */
export function systemPromptOf({ systemPrompt }: GraderWords, grader: GraderSettings): string {
  const other = grader.kind === 'regex' && grader.pattern !== GRADER_DEFAULTS.regex.pattern;
  return systemPrompt ?? (other ? '' : SYSTEM_PROMPTS[grader.kind]);
}

/** Advice where the example of a right answer may be what is wrong; empty elsewhere. */
export function formAdvice(grader: GraderSettings): string {
  if (grader.kind !== 'code' && (grader.kind !== 'regex' || grader.pattern === '')) return '';
  return ` Where a right answer looks otherwise, say how: --grader-setting form=…, with {answer} for the row's; it is ${quotedLine(grader.form)} now.`;
}

/** Says what a program pays for a worked answer. @throws BadInput if it fails there. */
async function paidBy(
  definition: CustomTask,
  source: string,
  score: string,
  item: ScoredItem,
): Promise<string> {
  const { scoreOnce } = await import('@rl-playground/tasks/scoreOnce');
  const quickJs = await quickJsFile();
  const outcome = await scoreOnce(source, itemJson(item), quickJs).catch((error: unknown) => {
    throw new BadInput(`--score ${score}: ${messageOf(error)}`);
  });
  const worked = quotedLine(item.completion.text);
  if ('error' in outcome)
    throw new BadInput(
      `--score ${score}: the program fails on the worked answer ${worked}: ${outcome.error.replace(/\.?$/, '.')}${formAdvice(definition.grader)}`,
    );
  return `It pays ${outcome.scored.total} for the worked answer ${worked}.`;
}

/** The lines about how answers are graded and what the model is told, before a run begins. @throws BadInput if a program fails. */
export async function graderLines(
  definition: CustomTask,
  { score = '' }: GraderWords,
  seed: number,
): Promise<string[]> {
  const { name, grader, system } = definition;
  const task = customTask(definition);
  const problem = task.generate(seed, 'train', 0, task.defaults);
  const text = task.workedAnswer(problem);
  const judged =
    grader.kind === 'code'
      ? await paidBy(definition, grader.source, score, {
          problem,
          completion: { text, tokens: [], stopReason: 'eos' },
        })
      : grader.kind === 'regex' && grader.pattern === ''
        ? `Each row's answer is the pattern that an answer must match, such as ${quotedLine(problem.answer)}.`
        : `A right answer: ${quotedLine(text)}.`;
  const values = [...settingsOf(grader.kind).keys()].map((key) => {
    const value: unknown = Reflect.get(grader, key);
    return `${key} ${typeof value === 'string' ? quotedLine(value) : String(value)}`;
  });
  const settings = values.length === 0 ? '' : ` (${values.join(', ')})`;
  const label = [GRADER_WORDS[grader.kind].label, basename(score)].join(' ').trim();
  return [
    `Grader of ${CUSTOM_PREFIX}${name}: ${label}${settings}. ${judged}`,
    system === ''
      ? 'System prompt: none. --system-prompt says what the model is told before each question.'
      : `System prompt: ${quotedLine(system)}`,
  ];
}
