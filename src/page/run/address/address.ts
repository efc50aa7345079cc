/** The page's address: settings that differ from the defaults, and what is never a setting: the backend, limits and memory of its device, deadlines, and what a class is not shown. */
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

/**
 * What the page opens with: accuracy rises within a minute or two. A link that names no task means the schema's default, whatever its version,
 * as does the command line.
 */
export const FIRST_TASK = 'reverse_digits';

export type Backend = 'webgpu' | 'wasm';

export interface Address {
  readonly config: RunConfig;
  readonly backend: Backend | null;
  /** `default` where `?limits=default` asks for a GPU device with no more than WebGPU promises. */
  readonly limits: DeviceLimits;
  /** `?gpuBytes=BYTES`: what the GPU has of memory, which no browser says. */
  readonly gpuBytes?: number;
  /** `?deadline=SECONDS`: how long generators and threads may say nothing; left out, 20 s and more. */
  readonly deadline?: Deadline;
  /** Whether the browser keeps runs: not where `?keep=off`, as programs that drive the page say it. */
  readonly keepRuns: boolean;
  /** Not where `?preflight=off`: runs then begin without their pre-flight, unless it is asked for. */
  readonly beginsWithPreflight?: false;
  readonly classroom: Classroom;
  /** What in the address was refused, and that its link is of another version. */
  readonly notices: readonly Notice[];
}

function isBackend(text: string): text is Backend {
  return text === 'webgpu' || text === 'wasm';
}

function isLimits(text: string): text is DeviceLimits {
  return text === 'adapter' || text === 'default';
}

/**
 * The usual deadline, shortened or stretched to so many seconds at the least; undefined where none is asked for, null for no number. What is
 * waited for after a stop is stretched with it, and no shorter than usual.
 */
function deadlineOf(text: string | null): Deadline | undefined | null {
  if (text === null) return undefined;
  const share = (Number(text) * 1000) / DEADLINE.least;
  if (!(share > 0 && Number.isFinite(share))) return null;
  const stretchedStop = share > 1 ? { stop: share * STOP } : {};
  return { ...DEADLINE, first: share * DEADLINE.first, least: share * DEADLINE.least, ...stretchedStop };
}

/** So many milliseconds, a limit of the page's own, or as many times more as the address stretches the deadline. */
export function stretched(milliseconds: number, search: string = window.location.search): number {
  const least = deadlineOf(new URLSearchParams(search).get('deadline'))?.least ?? DEADLINE.least;
  return milliseconds * Math.max(1, least / DEADLINE.least);
}

/** Undefined where nothing is said, null for no number of bytes. */
function gpuBytesOf(text: string | null): number | undefined | null {
  if (text === null) return undefined;
  const bytes = Number(text);
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : null;
}

/** Reads a query. Never throws: refused parts become notices and their settings keep the defaults. */
export function readAddress(search: string): Address {
  const query = new URLSearchParams(search);
  const saysSettings = [...query.keys()].some((key) => !FOREIGN_KEYS.has(key));
  const { config, errors, note }: QueryResult = saysSettings
    ? configFromQuery(search)
    : { config: defaultConfig(FIRST_TASK), errors: [] };
  const forced = query.get('backend');
  const limits = query.get('limits');
  const { refused: unknown, ...classroom } = readClassroom(query);
  const refused = [...errors, ...unknown];
  if (forced !== null && !isBackend(forced)) {
    refused.push(`backend: "${forced}" does not exist; choose one of: webgpu, wasm.`);
  }
  if (limits !== null && !isLimits(limits)) {
    refused.push(`limits: "${limits}" does not exist; choose one of: adapter, default.`);
  }
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
      text: `${refused.join('\n')}\nThe defaults stand in for them.`,
    });
  return {
    config,
    backend: forced !== null && isBackend(forced) ? forced : null,
    limits: limits !== null && isLimits(limits) ? limits : 'adapter',
    ...(typeof gpuBytes === 'number' && { gpuBytes }),
    ...(deadline && { deadline }),
    keepRuns: query.get('keep') !== 'off',
    ...(query.get('preflight') === 'off' && { beginsWithPreflight: false }),
    classroom,
    notices,
  };
}

/** The query for `config`, with its "?" unless it is empty, as it is for what the page opens with; what is no setting stays as it is in `search`. */
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
