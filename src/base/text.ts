/** Words and numbers of messages. */

const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A whole number with its thousands apart: "1,200". */
export function grouped(value: number): string {
  return digits.format(value);
}

/** A counted noun: "1 step", "1,200 steps". */
export function plural(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}
