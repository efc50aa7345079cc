/** The lines of a run's `metrics.jsonl` for trackers, read as they are written. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { inside } from '@rl-playground/engine/parts/node';
import { isJsonObject, parsedJson } from '@rl-playground/base/json';
import { RUN_DIRECTORY } from '@rl-playground/run/directory';
import { checkSize, MOST_LOG_BYTES } from '@rl-playground/run/disk';

export type LineKind = 'sft' | 'step' | 'evaluation';

export interface RunLine {
  readonly kind: LineKind;
  /** The step as it is logged; supervised updates have 0 or less. */
  readonly step: number;
  /** 1, or more for further evaluations of the same step. */
  readonly occurrence: number;
  /** The moment in milliseconds since 1970: the beginning of the run, and the time that its steps took since. */
  readonly time: number;
  /** All numbers of the line but its step, by their names in the log. A null was not measured. */
  readonly values: ReadonlyMap<string, number>;
}

const NEW_LINE = 10;

function kindOf(record: object): LineKind {
  if ('eval/step' in record) return 'evaluation';
  return 'sft/step' in record ? 'sft' : 'step';
}

/**
 * Reads the lines that have come since it last read. A run that goes on from a checkpoint cuts its log and writes it anew from there: then all
 * of it is read again, and equal lines are equal in kind, step and occurrence.
 */
export class RunLineReader {
  readonly path: string;
  readonly #began: number;
  #file = 0;
  #offset = 0;
  #lines = 0;
  #seconds = 0;
  #evaluations = new Map<number, number>();

  /** `began` is the beginning of the run in milliseconds since 1970. */
  constructor(folder: string, began: number) {
    this.path = inside(folder, RUN_DIRECTORY.metrics);
    this.#began = began;
  }

  /** Reads whole lines alone; one that is being written comes next time. @throws Error naming the line that can't be read. */
  read(): RunLine[] {
    const bytes = this.#news();
    const end = bytes.lastIndexOf(NEW_LINE) + 1;
    this.#offset += end;
    return new TextDecoder()
      .decode(bytes.subarray(0, end))
      .split('\n')
      .slice(0, -1)
      .flatMap((text) => {
        this.#lines++;
        return text.trim() === '' ? [] : [this.#line(text)];
      });
  }

  /** The new bytes; none if there is no file yet. */
  #news(): Uint8Array {
    if (!existsSync(this.path)) return new Uint8Array();
    const file = openSync(this.path, 'r');
    try {
      const { ino, size } = fstatSync(file);
      if (ino !== this.#file || size < this.#offset) {
        [this.#file, this.#offset, this.#lines, this.#seconds] = [ino, 0, 0, 0];
        this.#evaluations.clear();
      }
      checkSize(this.path, size - this.#offset, MOST_LOG_BYTES);
      const bytes = new Uint8Array(size - this.#offset);
      let done = 0;
      while (done < bytes.length) {
        const count = readSync(file, bytes, done, bytes.length - done, this.#offset + done);
        if (count === 0) break;
        done += count;
      }
      return bytes.subarray(0, done);
    } finally {
      closeSync(file);
    }
  }

  #line(text: string): RunLine {
    const json = parsedJson(text);
    const broken = (why: string): Error => new Error(`${this.path}, line ${this.#lines}: ${why}.`);
    if ('error' in json) throw broken(json.error);
    if (!isJsonObject(json.value)) throw broken('a line must be an object of numbers');
    const { step, ...others } = json.value;
    if (!Number.isInteger(step)) throw broken('it has no "step", which must be a whole number');
    const values = new Map<string, number>();
    for (const [name, value] of Object.entries(others)) {
      if (typeof value === 'number' && Number.isFinite(value)) values.set(name, value);
      else if (value !== null) throw broken(`"${name}" is neither a number nor null`);
    }
    const kind = kindOf(others);
    const at = step as number;
    const occurrence = kind === 'evaluation' ? (this.#evaluations.get(at) ?? 0) + 1 : 1;
    if (kind === 'evaluation') this.#evaluations.set(at, occurrence);
    if (kind === 'step') this.#seconds += values.get('time/total') ?? 0;
    return { kind, step: at, occurrence, time: Math.round(this.#began + 1000 * this.#seconds), values };
  }
}
