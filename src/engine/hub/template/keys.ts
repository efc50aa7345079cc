/** The filters of lists look at an attribute of each item, such as `function.name`, and at texts without regard to case. */
import { itemOf } from './attributes.ts';
import { str } from './printing.ts';
import { isTrue, textOf, Undefined, type Value } from './values.ts';

export type Key = (item: Value) => Value;

function partsOf(attribute: Value): Value[] {
  if (attribute === null) return [];
  const text = textOf(attribute);
  if (text === null) return [attribute];
  return text.split('.').map((part) => (/^\d+$/.test(part) ? BigInt(part) : part));
}

/** The value of an attribute of an item; `usual` where it has none. */
export function attributeKey(attribute: Value, usual: Value = null, after: Key = (item) => item): Key {
  const parts = partsOf(attribute);
  return (item) => {
    let value = item;
    for (const part of parts) {
      value = itemOf(value, part);
      if (usual !== null && value instanceof Undefined) value = usual;
    }
    return after(value);
  };
}

/** Several attributes, with commas between them, as a list. */
export function attributeKeys(attribute: Value, after: Key): Key {
  const text = textOf(attribute);
  const keys = (text === null ? [attribute] : text.split(',')).map((each) => attributeKey(each, null, after));
  return (item) => keys.map((key) => key(item));
}

/** Texts in lower case, unless their case counts. */
export function withoutCase(caseSensitive: Value): Key {
  if (isTrue(caseSensitive)) return (item) => item;
  return (item) => (textOf(item) === null ? item : str(item).toLowerCase());
}
