/** Settings as YAML or JSON text. It loads the YAML library. */
export { isTree, listOf, type ParsedText, parseText, type Tree } from './parse.ts';
export { type Ignored, notesOf, type SettingsRead, type SettingsResult, settle } from './settle.ts';
export { settingsAsYaml } from './write.ts';
