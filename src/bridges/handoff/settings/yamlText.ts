import { stringify } from 'yaml';

/** YAML 1.1, which Python's readers expect: `no` is quoted, and a number with an exponent has a point. */
export const yamlText = (value: unknown): string =>
  stringify(value, { version: '1.1' }).replaceAll(/(?<=(?:: |- ))(-?\d+)(?=e[-+]\d+$)/gm, '$1.0');
