/** Words and numbers of messages. */

/**
 * A whole number with its thousands set apart: "1,200". It does without `Intl.NumberFormat`, which takes a browser 18
 * ms before its first paint.
 */
export function grouped(value: number): string {
  return value.toFixed(0).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A counted noun: "1 step", "1,200 steps". */
export function plural(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Two digits a byte: "00ff". */
export function hexadecimal(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes for a person: "512 MB", "1.5 GB". */
export function bytesText(bytes: number): string {
  const gigabytes = bytes / 2 ** 30;
  return gigabytes >= 1 ? `${Math.round(gigabytes * 10) / 10} GB` : `${Math.round(bytes / 2 ** 20)} MB`;
}

/** Seconds as a clock shows them: 7 → "0:07", 125 → "2:05", 3725 → "1:02:05". */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const pad = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}
