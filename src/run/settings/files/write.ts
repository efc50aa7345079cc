/** A run's settings as a YAML or JSON text, by their snake_case names. */
import { Document, isMap, isScalar, isSeq } from 'yaml';
import { GROUPS } from '../schema/fields.ts';
import { snakeName } from '../names.ts';
import { FIELD_KEYS, RUN_FIELDS, type FieldKey, type RunConfig } from '../schema/schema.ts';

const HEADER = ` Settings of a run of RL Playground. A setting that is left out has the value of the task and preset.`;

/** Every setting in the order of its group. */
function byGroup(): readonly (readonly [group: string, keys: readonly FieldKey[]])[] {
  return GROUPS.map(
    (group) => [group, FIELD_KEYS.filter((key) => RUN_FIELDS[key].info.group === group)] as const,
  );
}

export function settingsAsYaml(config: RunConfig): string {
  const named = byGroup().flatMap(([, keys]) => keys.map((key) => [snakeName(key), config[key]] as const));
  const document = new Document(Object.fromEntries(named));
  document.commentBefore = HEADER;
  const firstOf = new Map(
    byGroup().flatMap(([group, [first]]) => (first ? [[snakeName(first), group] as const] : [])),
  );
  if (isMap(document.contents)) {
    for (const { key, value } of document.contents.items) {
      if (!isScalar(key)) continue;
      const group = firstOf.get(String(key.value));
      if (group !== undefined) {
        key.commentBefore = ` ${group}`;
        key.spaceBefore = true;
      }
      if (isSeq(value) && value.items.every((item) => isScalar(item))) value.flow = true;
    }
  }
  return document.toString({ lineWidth: 110 });
}
