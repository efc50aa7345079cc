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
import { PLACE_NAMES, type Place } from '../../ui/open/placeNames.ts';
import { beginsAtLessons, readClassroom, type Classroom } from './classroom.ts';

/** The task that the page opens with, whose accuracy rises within a minute or two. A link without a task means the schema's default. */
export const FIRST_TASK = 'reverse_digits';

export type Backend = 'webgpu' | 'wasm';

export interface Address {
  readonly config: RunConfig;
  readonly backend: Backend | null;
  /** `?limits=default` asks for a GPU device with no more than WebGPU promises. */
  readonly limits: DeviceLimits;
  /** `?gpuBytes=BYTES` is the memory of the GPU, which no browser tells. */
  readonly gpuBytes: number | undefined;
  /** `?deadline=SECONDS` limits the silence of generators and threads, which is 20 s or more without it. */
  readonly deadline: Deadline | undefined;
  /** False for `?keep=off`, which programs that drive the page use. */
  readonly keepRuns: boolean;
  /** False for `?preflight=off`, which begins runs without their pre-flight. */
  readonly beginsWithPreflight: boolean;
  readonly classroom: Classroom;
  readonly place: Place;
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

/** The number above 0 behind a key; undefined without one. Another text is refused. */
function numberOf(
  query: URLSearchParams,
  key: string,
  kind: 'whole number of bytes' | 'number of seconds',
  refused: string[] = [],
): number | undefined {
  const text = query.get(key);
  const value = Number(text ?? NaN);
  if (value > 0 && (kind === 'number of seconds' ? Number.isFinite(value) : Number.isSafeInteger(value)))
    return value;
  if (text !== null) refused.push(`${key}: "${text}" is not a ${kind} above 0.`);
  return undefined;
}

/** The usual deadline, shortened or stretched to that many seconds. The limit after a stop is never shortened. */
function deadlineOf(seconds: number): Deadline {
  const share = (seconds * 1000) / DEADLINE.least;
  const stretchedStop = share > 1 ? { stop: share * STOP } : {};
  return { ...DEADLINE, first: share * DEADLINE.first, least: share * DEADLINE.least, ...stretchedStop };
}

/** A limit of the page in milliseconds, stretched as the address stretches the deadline. */
export function stretched(milliseconds: number, search: string = window.location.search): number {
  const seconds = numberOf(new URLSearchParams(search), 'deadline', 'number of seconds') ?? 0;
  return milliseconds * Math.max(1, (seconds * 1000) / DEADLINE.least);
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
  const gpuBytes = numberOf(query, 'gpuBytes', 'whole number of bytes', refused);
  const place =
    oneOf(query, 'place', PLACE_NAMES, refused) ?? (beginsAtLessons(classroom) ? 'learn' : 'train');
  const deadline = numberOf(query, 'deadline', 'number of seconds', refused);
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
      title: 'The address of this page has settings that can’t be used',
      text: `${refused.join('\n')}\nThe page uses the defaults instead.`,
    });
  return {
    config,
    backend,
    limits,
    gpuBytes,
    deadline: deadline === undefined ? undefined : deadlineOf(deadline),
    keepRuns: query.get('keep') !== 'off',
    beginsWithPreflight: query.get('preflight') !== 'off',
    classroom,
    place,
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
