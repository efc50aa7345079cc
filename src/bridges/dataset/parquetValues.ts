/** Values of a parquet file as JSON has them, with numbers that a double would not hold, or would write otherwise, as text. */
import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { isJsonObject } from '@rl-playground/base/json';

/** The most digits behind the point of a decimal, whose zeros are written. */
const MOST_DIGITS = 100;

const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL';

/** The metadata with decimals as plain whole numbers, because the library makes doubles of decimals. */
export function withRawDecimals(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (!isDecimal(element)) return element;
    const { converted_type: _, logical_type: __, ...raw } = element;
    return raw;
  });
  return { ...metadata, schema };
}

/** The shortest text that reads back as the same float32. */
function float32Text(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

/** A whole number in bytes, the first the most significant, in two's complement. */
function wholeOf(bytes: Uint8Array): bigint {
  const value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return BigInt.asIntN(8 * bytes.length, value);
}

/** The text of a decimal, with the zeros that its scale has. */
function decimalText(whole: bigint, scale: number): string {
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, '0');
  const at = digits.length - scale;
  return `${whole < 0n ? '-' : ''}${digits.slice(0, at)}${scale === 0 ? '' : `.${digits.slice(at)}`}`;
}

function leafValue(value: unknown, element: SchemaElement): unknown {
  if (isDecimal(element)) {
    const { scale = 0 } = element;
    const whole =
      value instanceof Uint8Array
        ? wholeOf(value)
        : typeof value === 'bigint' || typeof value === 'number'
          ? BigInt(value)
          : null;
    return whole === null || scale < 0 || scale > MOST_DIGITS ? null : decimalText(whole, scale);
  }
  if (typeof value === 'number')
    return element.type === 'FLOAT' && Number.isFinite(value) ? float32Text(value) : value;
  if (value instanceof Uint8Array)
    return element.type === 'BYTE_ARRAY' ? new TextDecoder().decode(value) : null;
  return value ?? null;
}

/** The node of a list's entries. */
function entryOf(node: SchemaTree): SchemaTree {
  const [inner] = node.children;
  if (inner === undefined || node.children.length > 1 || inner.element.repetition_type !== 'REPEATED')
    return node;
  const [entry] = inner.children;
  return entry !== undefined && inner.children.length === 1 ? entry : inner;
}

/** A value of a column by the column's original schema, in which decimals are decimals. */
export function jsonValue(value: unknown, node: SchemaTree): unknown {
  if (Array.isArray(value)) {
    const entry = entryOf(node);
    return value.map((each: unknown) => jsonValue(each, entry));
  }
  if (node.children.length === 0) return leafValue(value, node.element);
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(
    node.children.map((child) => [child.element.name, jsonValue(value[child.element.name], child)]),
  );
}

/** The number of characters of the texts in a value. */
export function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + charactersOf(each), 0);
}
