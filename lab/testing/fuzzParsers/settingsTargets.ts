/** Settings: YAML and Hydra files, and links. Their readers never throw: what is wrong is in what they return. */
import { stringify } from 'yaml';
import { parseConfig, defaultConfig, configFromQuery, configToQuery } from '@rl-playground/run/settings';
import { readSettings, type GroupFile } from '@rl-playground/bridges/settings';
import { settingsAsYaml } from '@rl-playground/run/settings/files';
import { pick, uniformInt } from '@rl-playground/base/random';
import type { ParserTarget } from './harness.ts';
import { count, mutatedJson, mutatedText, type Draw } from './mutate.ts';

const TRL = {
  datasets: { syllogism: { weight: 1, config: { invalid_ratio: 0.3 } } },
  model_name_or_path: 'a/b',
  per_device_train_batch_size: 8,
  num_generations: 4,
  max_steps: 10,
  use_peft: true,
  lora_target_modules: 'all-linear',
  loss_type: 'dapo',
  epsilon: 0.2,
};
const HYDRA = {
  defaults: [{ 'training@rlvr_training': 'rlvr_small' }, '_self_'],
  seed: 1,
  run_name: '${now:%Y}-${seed}',
  rlvr_training: {
    num_epochs: 2,
    batch_size: 4,
    cliprange: 0.2,
    reward_type: 'boxed',
    learning_rate: '${lr}',
  },
  training_data_generator: { name: 'x', instance: { p: 5, operators: ['+'] } },
  lr: 1e-6,
};

/** YAML with chains of anchors, or interpolations that each contain two of the next. */
function doubling(draw: Draw): string {
  const depth = count(draw, 60);
  const times = uniformInt(draw, 2, 9);
  const line = pick<(i: number) => string>(draw, [
    (i) => `x${i}: ${`\${x${i + 1}}`.repeat(times)}`,
    (i) => `x${i}: [${Array.from({ length: times }, () => `'\${x${i + 1}}'`).join(', ')}]`,
    (i) =>
      `x${depth - i}: &a${depth - i} [${Array.from({ length: times }, () => (i === 0 ? 'y' : `*a${depth - i + 1}`)).join(', ')}]`,
    (i) => `x${i}: &a${i} {${i === 0 ? 'y: 1' : `<<: *a${i - 1}, z${i}: *a${i - 1}`}}`,
  ]);
  const lines = Array.from({ length: depth }, (_, i) => line(i));
  return ['seed: 1', 'rlvr_training:', '  batch_size: ${x0}', ...lines, `x${depth}: word`].join('\n');
}

function settingsFile(draw: Draw): string {
  const kind = draw();
  if (kind < 0.15) return doubling(draw);
  const json = mutatedJson(draw, pick<object>(draw, [TRL, HYDRA, defaultConfig('sum_digits')]));
  if (kind < 0.4)
    return mutatedText(draw, pick(draw, [settingsAsYaml(defaultConfig('gsm8k')), stringify(HYDRA)]));
  if (kind > 0.9) {
    try {
      return stringify(JSON.parse(json));
    } catch {
      return json;
    }
  }
  return json;
}

/** Groups that name each other, whichever is asked for. */
const readGroup = (group: string, option: string): GroupFile | null =>
  option.length > 3 ? null : { tree: { defaults: ['a', 'b', { [`${group}/x`]: 'c' }], [option]: '${x0}' } };

function link(draw: Draw): string {
  const query = configToQuery({ ...defaultConfig('reverse_digits'), seed: 7, numSteps: 9 });
  const kind = draw();
  if (kind < 0.2)
    return Array.from(
      { length: count(draw, 10_000) },
      (_, i) => `${pick(draw, ['k', 'seed', 'learnRate'])}${i}=${i}`,
    ).join('&');
  if (kind < 0.5)
    return new URLSearchParams({
      mixture: mutatedJson(draw, { mixture: [{ task: 'sum_digits', weight: 1, config: { digits: 3 } }] }),
    }).toString();
  return mutatedText(draw, `${query}&taskConfig=${encodeURIComponent('{"digits":2}')}&model=a/b`);
}

function checkErrors(errors: readonly string[]): void {
  const longest = Math.max(0, ...errors.map(({ length }) => length));
  if (errors.length > 100 || longest > 20_000)
    throw new Error(`${errors.length} errors are said, the longest of ${longest} characters.`);
}

export function settingsTargets(): readonly ParserTarget[] {
  return [
    {
      name: 'YAML and Hydra',
      share: 12,
      make: (draw) => ({ text: settingsFile(draw), groups: draw() < 0.3 }),
      read({ text, groups }: { text: string; groups: boolean }) {
        const result = readSettings(text, groups ? { readGroup } : {});
        if (!result.ok) checkErrors(result.errors);
        else if (!parseConfig(result.config).ok) throw new Error('Settings were accepted that are none.');
        return result.ok;
      },
    },
    {
      name: 'link',
      share: 40,
      make: link,
      read(query: string) {
        const { config, errors } = configFromQuery(query);
        checkErrors(errors);
        if (!parseConfig(config).ok) throw new Error('Settings were accepted that are none.');
        return errors.length === 0;
      },
    },
  ];
}
