/** Dates and times of day as text, in the formats of C's `strftime`. Moments are milliseconds since 1970, without a time zone. */

export const DAY = 86_400_000;

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
/** The index of a day is that of JavaScript's `getUTCDay`. */
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const padded = (value: number, length: number): string => `${value}`.padStart(length, '0');

export const weekdayOf = (moment: number): string => WEEKDAYS[new Date(moment).getUTCDay()] ?? '';
const monthOf = (moment: number): string => MONTHS[new Date(moment).getUTCMonth()] ?? '';

/** `-0300` for −3. */
function offsetText(hours: number): string {
  return `${hours < 0 ? '-' : '+'}${padded(Math.abs(hours), 2)}00`;
}

/**
 * A moment as `format` says, with the codes `%Y %y %m %d %e %j %B %b %A %a %H %I %p %M %S %f %z %%`, and `-` before one for no padding;
 * `%f` in milliseconds, `%z` an offset in whole hours. Others stay as they are.
 */
export function formatMoment(moment: number, format: string, offset = 0): string {
  const date = new Date(moment);
  const codes: Readonly<Record<string, string>> = {
    Y: padded(date.getUTCFullYear(), 4),
    y: padded(date.getUTCFullYear() % 100, 2),
    m: padded(date.getUTCMonth() + 1, 2),
    d: padded(date.getUTCDate(), 2),
    e: `${date.getUTCDate()}`.padStart(2),
    j: padded(Math.floor((moment - Date.UTC(date.getUTCFullYear(), 0)) / DAY) + 1, 3),
    B: monthOf(moment),
    b: monthOf(moment).slice(0, 3),
    A: weekdayOf(moment),
    a: weekdayOf(moment).slice(0, 3),
    H: padded(date.getUTCHours(), 2),
    I: padded(((date.getUTCHours() + 11) % 12) + 1, 2),
    p: date.getUTCHours() < 12 ? 'AM' : 'PM',
    M: padded(date.getUTCMinutes(), 2),
    S: padded(date.getUTCSeconds(), 2),
    f: padded(date.getUTCMilliseconds(), 3),
    z: offsetText(offset),
    '%': '%',
  };
  return format.replaceAll(/%(-?)([YymdejBbAaHIpMSfz%])/g, (_, bare: string, code: string) => {
    const text = codes[code] ?? '';
    return bare === '' ? text : text.replace(/^[0 ]+(?=\d)/, '');
  });
}

/** Now, to the second, as the clocks here show it. */
export function localMoment(): number {
  const now = new Date();
  return Math.floor(now.getTime() / 1000) * 1000 - now.getTimezoneOffset() * 60_000;
}

/** `2026-11-22T17:35:48`, and back. */
export const momentText = (moment: number): string => new Date(moment).toISOString().slice(0, 19);
export const momentOf = (text: string): number => Date.parse(`${text}Z`);

/** `02:01`, `02:01:05` or `02:01:05.250`: a duration of milliseconds, cut to the parts asked for. */
export function formatDuration(duration: number, parts: 'HH:MM' | 'HH:MM:SS' | 'HH:MM:SS.mmm'): string {
  const seconds = Math.floor(duration / 1000);
  const minutes = Math.floor(seconds / 60);
  const text = `${padded(Math.floor(minutes / 60), 2)}:${padded(minutes % 60, 2)}`;
  if (parts === 'HH:MM') return text;
  const full = `${text}:${padded(seconds % 60, 2)}`;
  return parts === 'HH:MM:SS' ? full : `${full}.${padded(duration % 1000, 3)}`;
}
