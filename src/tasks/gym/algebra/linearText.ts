/** Sums `slope·x + constant` as SymPy writes them. */

export interface Linear {
  readonly slope: number;
  readonly constant: number;
}

/**
 * `32*u + 4`, `-48*u - 71`, `u`: the variable first, but for a positive constant before a negative multiple, `71 - 48*u`. `slope` is
 * not 0.
 */
export function writeLinear({ slope, constant }: Linear, variable: string): string {
  const size = Math.abs(slope);
  const multiple = `${size === 1 ? '' : `${size}*`}${variable}`;
  if (constant > 0 && slope < 0) return `${constant} - ${multiple}`;
  const first = `${slope < 0 ? '-' : ''}${multiple}`;
  return constant === 0 ? first : `${first} ${constant < 0 ? '-' : '+'} ${Math.abs(constant)}`;
}

/** What `writeLinear` wrote; null for other text. */
export function readLinear(text: string): Linear | null {
  const turned = /^(\d+) - (?:(\d+)\*)?[a-z]$/.exec(text);
  if (turned) return { slope: -Number(turned[2] ?? 1), constant: Number(turned[1]) };
  const match = /^(-?)(?:(\d+)\*)?[a-z](?: ([+-]) (\d+))?$/.exec(text);
  if (!match) return null;
  const [, minus, size = '1', sign, constant = '0'] = match;
  return {
    slope: Number(size) * (minus === '-' ? -1 : 1),
    constant: Number(constant) * (sign === '-' ? -1 : 1),
  };
}
