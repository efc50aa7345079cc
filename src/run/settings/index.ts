/** Settings of a run: one schema, rules, presets, names, links. */
export { parseConfig, type ParsedConfig, unknownKey } from './check.ts';
export {
  type FieldDescription,
  FIELDS,
  NUMBER_TEXT,
  type NumberField,
  textOfValue,
  valueFromText,
} from './describe.ts';
export { changedBetween, differingKeys, sameRun } from './differences.ts';
export { hasMeaning, idleSettings } from './meaning.ts';
export {
  ALIASES,
  ALL_NAMES,
  keyOfName,
  type NamedValues,
  NESTED_NAMES,
  otherNames,
  readNames,
  snakeName,
  unknownName,
} from './names.ts';
export { BEYOND_TASKS } from './presets/beyond.ts';
export {
  datasetTask,
  defaultConfig,
  PRESETS,
  presetSummary,
  presetTask,
  replacedModel,
  replacements,
  rowsLoaded,
} from './presets/presets.ts';
export { longestPrompt, RLVR_SETTINGS, type RlvrSettings } from './presets/rlvr.ts';
export { withoutGroups } from './reconcile.ts';
export { counted } from './rules/rule.ts';
export { flagOfWord, GROUPS, sameValue } from './schema/fields.ts';
export { PRESET_NAMES, PRESET_TITLES, type PresetName } from './schema/model.ts';
export {
  FIELD_KEYS,
  type FieldKey,
  isFieldKey,
  RUN_FIELDS,
  type RunConfig,
  runFieldsSchema,
  answersInStep,
  partsPerPass,
  problemsInStep,
  updatesPerBatch,
} from './schema/schema.ts';
export { DEMONSTRATIONS } from './schema/sft.ts';
export { type MixturePart, MOST_PARTS } from './schema/task.ts';
export { parseRecord, SETTINGS_VERSION, versionNote } from './settingsVersion.ts';
export { closestName } from './suggest.ts';
export {
  type AskedTracker,
  isTrackTarget,
  PLACE_OPTIONS,
  shellWord,
  TRACK_TARGETS,
  trackCommand,
  type TrackerPlace,
  type TrackTarget,
  withRunFolder,
} from './trackers.ts';
export { configFromQuery, configToQuery, FOREIGN_KEYS, linkQuery, type QueryResult } from './url.ts';
export { curedConfig, type DiagnosisId, ZOO, zooConfig, type ZooRecipe } from './zoo.ts';
