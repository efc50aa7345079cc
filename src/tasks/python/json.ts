/** JSON as Python's `json.loads` (3.11) reads it. */
import { messageOf } from '@rl-playground/base/errors';
import { readPythonJson } from '@rl-playground/base/pythonJson';
import { readPythonLiteral } from './literal.ts';
import { PythonError, type PythonDict, type PythonSequence, type PythonValue } from './value.ts';

/** The value; throws a PythonError where Python raises. */
export function valueOfJson(text: string): PythonValue {
  try {
    return readPythonJson<PythonSequence | PythonDict>(text, {
      list: (items) => ({ kind: 'list', items }),
      dict: (entries) => ({ kind: 'dict', entries }),
    });
  } catch (error) {
    throw new PythonError(messageOf(error));
  }
}

/** The items of a list in Python's or JSON's form, or null. It never throws. */
export function readPythonList(text: string): readonly PythonValue[] | null {
  for (const read of [readPythonLiteral, valueOfJson]) {
    try {
      const value = read(text);
      if (value !== null && typeof value === 'object' && value.kind === 'list') return value.items;
    } catch {
      // The other reader may take it.
    }
  }
  return null;
}
