/** Settings as words of a command line, by their names in the code: `learningRate=5e-4`. */
import {
  parseConfig,
  unknownKey,
  valueFromText,
  defaultConfig,
  isFieldKey,
  type RunConfig,
  PRESET_NAMES,
} from '@rl-playground/run/settings';
import { BadInput } from '@rl-playground/base/errors';

/** The settings of a task, recommended or of the preset that a word names, with what the words change; a later word wins. @throws BadInput */
export function settingsOf(task: string, seed: number, words: readonly string[]): RunConfig {
  const changes = words.map((word) => {
    const at = word.indexOf('=');
    const [key, text] = [word.slice(0, Math.max(0, at)), word.slice(at + 1)];
    if (at < 1) throw new BadInput(`${word}: an argument is a setting; write it as setting=value.`);
    if (!isFieldKey(key)) throw new BadInput(unknownKey(key, text));
    return [key, valueFromText(key, text)] as const;
  });
  const values = Object.fromEntries(changes) as Partial<RunConfig>;
  const preset = PRESET_NAMES.find((name) => name === values.preset);
  const parsed = parseConfig({ ...defaultConfig(task, preset), ...values, seed });
  if (!parsed.ok) throw new BadInput(parsed.errors.join('\n'));
  return parsed.config;
}
