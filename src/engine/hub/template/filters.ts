/** The filters of Jinja2 by their names. */
import { LIST_FILTERS } from './listFilters.ts';
import { NUMBER_FILTERS } from './numberFilters.ts';
import { TEXT_FILTERS } from './textFilters.ts';
import { TemplateError, type Given, type Value } from './values.ts';

const FILTERS = new Map([...LIST_FILTERS, ...NUMBER_FILTERS, ...TEXT_FILTERS]);

/** @throws TemplateError if there is no filter of that name, or as the filter raises. */
export function filtered(name: string, value: Value, given: Given): Value {
  const filter = FILTERS.get(name);
  if (filter === undefined) throw new TemplateError(`No filter named '${name}' found.`);
  return filter(value, given, filtered);
}
