/** The page's address. It holds settings that differ from the defaults, the device and its limits, deadlines, and what a class is not shown. */
import { DEADLINE, STOP, type Deadline } from '@rl-playground/base/deadline';
import type { DeviceLimits } from '@rl-playground/engine/parts';
import {
  type RunConfig,
  defaultConfig,
  configFromQuery,
  FOREIGN_KEYS,
  linkQuery,
  type QueryResult,
} from '@rl-playground/run/settings';
import type { Notice } from '@rl-playground/run/session';
import { readClassroom, type Classroom } from './classroom.ts';

/** The task that the page opens with, whose accuracy rises within a minute or two. A link without a task means the schema's default. */
export const FIRST_TASK = 'reverse_digits';

export type Backend = 'webgpu' | 'wasm';

export interface Address {
  readonly config: RunConfig;
  readonly backend: Backend | null;
  /** `?limits=default` asks for a GPU device with no more than WebGPU promises. */
  readonly limits: DeviceLimits;
  /** `?gpuBytes=BYTES` is the memory of the GPU, which no browser tells. */
  readonly gpuBytes?: number;
  /** `?deadline=SECONDS` limits the silence of generators and threads, which is 20 s or more without it. */
  readonly deadline?: Deadline;
  /** False for `?keep=off`, which programs that drive the page use. */
  readonly keepRuns: boolean;
  /** `?preflight=off` begins runs without their pre-flight. */
  readonly beginsWithPreflight?: false;
  readonly classroom: Classroom;
  /** Notices of what was refused in the address, and of a link of another version. */
  readonly notices: readonly Notice[];
}

/** The value of a key among some words. Another value is refused. */
function oneOf<Word extends string>(
  query: URLSearchParams,
  key: string,
  words: readonly Word[],
  refused: string[],
): Word | null {
  const text = query.get(key);
  const found = words.find((word) => word === text) ?? null;
  if (text !== null && found === null)
    refused.push(`${key}: "${text}" does not exist; choose one of: ${words.join(', ')}.`);
  return found;
}

/**
 * The usual deadline, shortened or stretched to that many seconds; undefined where none is asked for, null where the text is no number. The
 * limit after a stop is stretched too, but never shortened.
 */
function deadlineOf(text: string | null): Deadline | undefined | null {
  if (text === null) return undefined;
  const share = (Number(text) * 1000) / DEADLINE.least;
  if (!(share > 0 && Number.isFinite(share))) return null;
  const stretchedStop = share > 1 ? { stop: share * STOP } : {};
  return { ...DEADLINE, first: share * DEADLINE.first, least: share * DEADLINE.least, ...stretchedStop };
}

/** A limit of the page in milliseconds, stretched as the address stretches the deadline. */
export function stretched(milliseconds: number, search: string = window.location.search): number {
  const least = deadlineOf(new URLSearchParams(search).get('deadline'))?.least ?? DEADLINE.least;
  return milliseconds * Math.max(1, least / DEADLINE.least);
}

/** Reads a number of bytes; undefined without a text, null where the text is no such number. */
function gpuBytesOf(text: string | null): number | undefined | null {
  if (text === null) return undefined;
  const bytes = Number(text);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/** Reads a query and never throws. Refused parts become notices, and their settings keep the defaults. */
export function readAddress(search: string): Address {
  const query = new URLSearchParams(search);
  const saysSettings = [...query.keys()].some((key) => !FOREIGN_KEYS.has(key));
  const { config, errors, note }: QueryResult = saysSettings
    ? configFromQuery(search)
    : { config: defaultConfig(FIRST_TASK), errors: [] };
  const { refused: unknown, ...classroom } = readClassroom(query);
  const refused = [...errors, ...unknown];
  const backend = oneOf(query, 'backend', ['webgpu', 'wasm'], refused);
  const limits = oneOf(query, 'limits', ['adapter', 'default'], refused) ?? 'adapter';
  const gpuBytes = gpuBytesOf(query.get('gpuBytes'));
  if (gpuBytes === null)
    refused.push(`gpuBytes: "${query.get('gpuBytes')}" is no whole number of bytes above 0.`);
  const deadline = deadlineOf(query.get('deadline'));
  if (deadline === null)
    refused.push(`deadline: "${query.get('deadline')}" is no number of seconds above 0.`);
  const notices: Notice[] = [];
  if (note !== undefined)
    notices.push({
      id: 'link-version',
      kind: 'info',
      title: 'The link was made by another version of this page',
      text: note,
    });
  if (refused.length > 0)
    notices.push({
      id: 'address',
      kind: 'error',
      title: 'The address of this page holds settings that can’t be used',
      text: `${refused.join('\n')}\nThe page uses the defaults instead.`,
    });
  return {
    config,
    backend,
    limits,
    ...(typeof gpuBytes === 'number' && { gpuBytes }),
    ...(deadline && { deadline }),
    keepRuns: query.get('keep') !== 'off',
    ...(query.get('preflight') === 'off' && { beginsWithPreflight: false }),
    classroom,
    notices,
  };
}

/** The query for `config`, which is empty for what the page opens with. Keys of `search` that are no settings stay. */
export function writeAddress(config: RunConfig, search: string): string {
  const query = new URLSearchParams(search);
  const kept = [...FOREIGN_KEYS].flatMap((key) => {
    const value = query.get(key);
    return value === null ? [] : new URLSearchParams({ [key]: value }).toString();
  });
  const settings = linkQuery(config);
  const parts = [...kept, settings === linkQuery(defaultConfig(FIRST_TASK)) ? '' : settings];
  const text = parts.filter((part) => part !== '').join('&');
  return text === '' ? '' : `?${text}`;
}
