/**
 * The script before a user's program. It keeps its own references to built-ins, so that changed prototypes change nothing here, and hands
 * out only text. Its value is an array of four functions: call(score, itemJson), describe(result), explain(error), logs().
 */
import { MOST_LOG, MOST_LOGS, MOST_PARTS, MOST_REASON } from './limits.ts';

/** A moment for `Date`: the clock would make a run irreproducible. 2000-01-01T00:00:00Z. */
const FIXED_TIME = 946_684_800_000;

/** The script; `seed` (32 bit) decides what `Math.random` yields. */
export function prelude(seed: number): string {
  return `(() => {
  'use strict';
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { keys } = Object;
  const { apply, construct } = Reflect;
  const text = String;
  const slice = String.prototype.slice;
  const RealDate = Date;
  const short = (value, most) => {
    const whole = typeof value === 'string' ? value : text(value);
    return whole.length > most ? apply(slice, whole, [0, most]) + '…' : whole;
  };

  let state = ${seed >>> 0};
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math_imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math_imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const Math_imul = Math.imul;

  const FixedDate = new Proxy(RealDate, {
    construct: (target, given, newTarget) => construct(target, given.length === 0 ? [${FIXED_TIME}] : given, newTarget),
    apply: () => new RealDate(${FIXED_TIME}).toString(),
  });
  RealDate.now = () => ${FIXED_TIME};
  RealDate.prototype.constructor = FixedDate;
  globalThis.Date = FixedDate;
  delete globalThis.performance;
  delete globalThis.Atomics;
  delete globalThis.SharedArrayBuffer;

  const lines = [];
  let dropped = 0;
  const show = (value) => {
    if (typeof value === 'string') return value;
    try {
      const json = typeof value === 'object' && value !== null ? stringify(value) : undefined;
      return json === undefined ? text(value) : json;
    } catch {
      return 'a value that can not be shown';
    }
  };
  const log = (...values) => {
    if (lines.length >= ${MOST_LOGS}) {
      dropped++;
      return;
    }
    let line = '';
    for (let i = 0; i < values.length && line.length < ${MOST_LOG}; i++) line += (i === 0 ? '' : ' ') + short(show(values[i]), ${MOST_LOG});
    lines[lines.length] = short(line, ${MOST_LOG});
  };
  globalThis.console = { log, info: log, warn: log, error: log, debug: log };
  globalThis.exports = {};
  globalThis.module = { exports: globalThis.exports };
  globalThis.require = (name) => {
    throw new Error('There is nothing to import here; found "' + short(name, 60) + '". Write all that score needs into the program.');
  };

  const number = (value) =>
    typeof value === 'number' ? '{"number":"' + text(value) + '"}' : '{"type":"' + (value === null ? 'null' : isArray(value) ? 'array' : typeof value) + '"}';
  const describe = (result) => {
    if (typeof result !== 'object' || result === null || isArray(result)) return '{"value":' + number(result) + '}';
    const { reward, total, correct, format, extracted, reason, parts } = result;
    let out = '{"reward":' + number(reward === undefined ? total : reward);
    out += ',"correct":"' + (typeof correct === 'boolean' ? correct : typeof correct) + '"';
    out += ',"format":"' + (typeof format === 'boolean' ? format : typeof format) + '"';
    if (typeof extracted === 'string') out += ',"extracted":' + stringify(short(extracted, ${MOST_LOG}));
    if (typeof reason === 'string') out += ',"reason":' + stringify(short(reason, ${MOST_REASON}));
    if (parts !== undefined && (typeof parts !== 'object' || parts === null || isArray(parts))) out += ',"badParts":' + number(parts);
    else if (parts !== undefined) {
      const names = keys(parts);
      out += ',"count":' + names.length + ',"parts":[';
      for (let i = 0; i < names.length && i < ${MOST_PARTS}; i++) out += (i === 0 ? '[' : ',[') + stringify(short(names[i], 60)) + ',' + number(parts[names[i]]) + ']';
      out += ']';
    }
    return out + '}';
  };
  const explain = (error) => {
    try {
      if (typeof error !== 'object' || error === null || typeof error.message !== 'string')
        return '[' + stringify('The program threw ' + short(show(error), ${MOST_LOG})) + ',""]';
      return '[' + stringify(short(error.name, 60) + ': ' + short(error.message, ${MOST_LOG})) + ',' + stringify(short(error.stack, 2000)) + ']';
    } catch {
      return '["an error that can not be shown",""]';
    }
  };
  const logs = () => {
    let out = '[';
    for (let i = 0; i < lines.length; i++) out += (i === 0 ? '' : ',') + stringify(lines[i]);
    if (dropped > 0) out += ',' + stringify('… and ' + dropped + ' more');
    return out + ']';
  };
  const call = (score, item) => {
    const { problem, completion } = parse(item);
    return score(problem, completion);
  };
  return [call, describe, explain, logs];
})()`;
}
