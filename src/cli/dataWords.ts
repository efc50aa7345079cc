/** The rows of a command line (`--data`), for a dataset task or for a task of the user's own. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { messageOf, BadInput, orBadInput } from '@rl-playground/base/errors';
import { grouped } from '@rl-playground/base/text';
import type { RunConfig } from '@rl-playground/run/settings';
import {
  parseDatasetAddress,
  datasetRows,
  rowsOfSource,
  sourceOfFiles,
  sourceOnHub,
  type DataSource,
  type SourceRows,
  MOST_BYTES,
} from '@rl-playground/bridges/dataset';
import { fromCaller, openOnDisk } from '@rl-playground/engine/parts/node';
import { provideRows, rowsProblem, tasksOfRows } from '@rl-playground/run/data';
import {
  badLinesText,
  parseColumnNames,
  type ColumnNames,
  customTask,
  type CustomTask,
  findTask,
  MIXTURE,
  setCustomTasks,
  taskNameError,
  CUSTOM_PREFIX,
  type Task,
  type TaskRows,
} from '@rl-playground/tasks/parts';
import {
  formAdvice,
  graderLines,
  graderOfWords,
  graderOption,
  systemPromptOf,
  type GraderWords,
} from './graderWords.ts';
import { hubOptions, type HubWords } from './hubOptions.ts';
import { printLine, printProblem } from '@rl-playground/base/print';
import { readBy } from './program.ts';
import { readSftRows, type SftFile, wantedFile } from '@rl-playground/run/sft';
import { readText } from '@rl-playground/run/disk';

export interface DataWords extends GraderWords {
  /** The files, or `hub:org/name[@revision][:path]`, which together are one dataset. */
  readonly data: readonly string[];
  readonly dataColumns?: ColumnNames;
}

/** The data for a page: the rows of its dataset tasks, or whole tasks of the user's own. */
export interface GivenData {
  readonly taskRows: readonly TaskRows[];
  readonly customTasks: readonly CustomTask[];
}

export function addDataOptions(line: Command): Command {
  return line
    .addOption(
      new Option(
        '--data <source>',
        'rows for the task: a file (JSONL, JSON, CSV, parquet) or hub:org/name[@revision][:folder or file]; may be repeated',
      )
        .argParser((text: string, before: readonly string[]) => [...before, text])
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '--data-columns <names>',
        'question=COLUMN,answer=COLUMN[,context=,input=,choices=,system=COLUMN], where they have no usual names',
      ).argParser(readBy(parseColumnNames)),
    );
}

/** Reads the name of a task. One of the user's own is `own:NAME`. @throws InvalidArgumentError */
export function taskWord(text: string): string {
  if (text === MIXTURE) return text;
  const error = taskNameError(text);
  if (error !== null) throw new InvalidArgumentError(error);
  return findTask(text)?.name ?? text;
}

/** The name of the task of rows without a named one: `own:` and the name of the file or dataset. */
export function taskOfData([first = '']: readonly string[]): string {
  const name = parseDatasetAddress(first.startsWith('hub:') ? first : '')?.repo ?? basename(first);
  const plain = name
    .replace(/\.(jsonl|ndjson|json|csv|tsv|txt|parquet)$/i, '')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, ' ')
    .replace(/^[^A-Za-z0-9]+/, '');
  return `${CUSTOM_PREFIX}${plain.trim().slice(0, 48) || 'rows'}`;
}

/** Checks the words without reading anything. @throws BadInput */
export function checkDataWords({ data, ...rest }: DataWords, config: RunConfig): void {
  const asking = tasksOfRows(config);
  if (data.length === 0) {
    const problem = rowsProblem(config);
    if (problem !== null) throw new BadInput(`${problem.title}. ${problem.text}`);
    const idle = rest.dataColumns ? '--data-columns' : graderOption(rest);
    if (idle !== null) throw new BadInput(`${idle} says how rows are used, and none are given: add --data.`);
    return;
  }
  if (asking.length !== 1)
    throw new BadInput(
      `--data: ${asking.length === 0 ? `${config.task} draws its own problems and asks no rows` : `${asking.join(' and ')} ask rows, and they can be given to one task`}. Name one task that asks them: --task gsm8k, or own:NAME for one of your own.`,
    );
  const [task = ''] = asking;
  if (task.startsWith(CUSTOM_PREFIX)) graderOfWords(rest);
  else if ((graderOption(rest) ?? rest.systemPrompt) !== undefined)
    throw new BadInput(
      `${graderOption(rest) ?? '--system-prompt'} is for a task of your own (own:NAME); ${task} has its own.`,
    );
}

async function sourceOf(data: readonly string[], hub: HubWords): Promise<DataSource> {
  const [first = ''] = data;
  if (data.some((text) => text.startsWith('hub:'))) {
    const address = parseDatasetAddress(first);
    if (data.length > 1)
      throw new BadInput('--data: a dataset of the Hub stands alone. Give its name, or files.');
    if (address === null)
      throw new BadInput(
        `--data ${first}: write hub:org/name, hub:org/name@revision or hub:org/name:folder.`,
      );
    return sourceOnHub(address, hubOptions(hub));
  }
  return sourceOfFiles(
    data.map((text) => {
      const path = fromCaller(text);
      if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
        throw new BadInput(
          `--data ${text}: there is no such file. Give the path of a file, or hub:org/name for a dataset of the Hub.`,
        );
      return { name: basename(path), file: openOnDisk(path) };
    }),
  );
}

/** The words for a dataset task, which asks in its own words alone. */
function leftOut(along: string): string {
  return along === '' ? '' : 'System messages and earlier turns are left out: the task has its own.';
}

function given({ rows, origin, choices }: SourceRows, task: string, words: DataWords): GivenData {
  if (!task.startsWith(CUSTOM_PREFIX))
    return { taskRows: [{ task, ...datasetRows({ rows, origin }) }], customTasks: [] };
  // Rows with choices are answered by a letter, unless the words name another way.
  const byLetter = choices > 0 && words.grader === undefined && words.score === undefined;
  const named = graderOfWords(byLetter ? { ...words, grader: 'multiple_choice' } : words);
  const counted = (words.graderSetting ?? []).some((word) => word.startsWith('choices='));
  const grader = named.kind === 'multiple_choice' && choices > 0 && !counted ? { ...named, choices } : named;
  const definition: CustomTask = {
    name: task.slice(CUSTOM_PREFIX.length),
    rows,
    grader,
    system: systemPromptOf(words, grader),
    origin,
  };
  return { taskRows: [], customTasks: [definition] };
}

/** @throws Error if the definition is not sound, with advice where its worked answer is not. */
function offered(definition: CustomTask): Task {
  try {
    return customTask(definition);
  } catch (error) {
    const message = messageOf(error);
    const advice = message.includes('in the worked answer') ? formAdvice(definition.grader) : '';
    throw new Error(message + advice, { cause: error });
  }
}

/**
 * Reads the rows of `--data` and gives them to their task in this process; null if there are none. It prints what was read.
 *
 * @throws BadInput or ModelFileError if they can't be read or graded.
 */
export async function readDataWords(
  words: DataWords,
  config: RunConfig,
  hub: HubWords,
  say: (text: string) => void = printLine,
): Promise<GivenData | null> {
  checkDataWords(words, config);
  const [task = ''] = tasksOfRows(config);
  if (words.data.length === 0) return null;
  try {
    const read = await rowsOfSource(await sourceOf(words.data, hub), words.dataColumns ?? {});
    const data = given(read, task, words);
    provideRows(data.taskRows);
    setCustomTasks(data.customTasks.map(offered));
    const { rows, bad, origin, taken, along } = read;
    const at = origin.commit === null ? '' : ` at ${origin.commit}`;
    say(`${task}: ${grouped(rows.length)} rows of ${origin.source}${at}, SHA-256 ${origin.sha256}.`);
    say(`${task}: ${[taken, data.customTasks.length > 0 ? along : leftOut(along)].join(' ').trim()}`);
    if (bad.length > 0) printProblem(`${grouped(bad.length)} rows were left out: ${badLinesText(bad)}.`);
    for (const definition of data.customTasks)
      for (const text of await graderLines(definition, words, config.seed)) say(text);
    return data;
  } catch (error) {
    throw new BadInput(messageOf(error), { cause: error });
  }
}

export interface SftRows {
  /** The settings, which name the file without its folders, as in a page that was given it. */
  readonly config: RunConfig;
  /** The rows; null if the warm-up learns from demonstrations, or if there is none. */
  readonly file: SftFile | null;
}

/**
 * Turns settings whose `warmStartData` is a path into settings with a name, and reads the rows of the file.
 *
 * @throws BadInput if the file can't be read, SftRowsError if it can't be learned from.
 */
export function readSftFiles(config: RunConfig): SftRows {
  const path = wantedFile(config);
  if (path === null) return { config, file: null };
  const name = basename(path);
  const text = orBadInput(
    () => readText(path, MOST_BYTES),
    (why) =>
      `warmStartData: the file "${path}" can't be read (${why}). Give the path of a JSONL file, or "demonstrations".`,
  );
  return { config: { ...config, warmStartData: name }, file: { name, rows: readSftRows(text, name) } };
}
