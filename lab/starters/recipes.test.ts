import { expect, test } from 'vitest';
import { BEYOND_TASKS, defaultConfig } from '@rl-playground/run/settings';
import { taskByName } from '@rl-playground/tasks/parts';
import { RECIPES } from './recipes.ts';

/** The settings that say how many things a problem has: `max_numbers`, `max_terms`. */
const mostOf = (config: Readonly<Record<string, unknown>>, names: readonly string[]): unknown =>
  config[names.find((name) => name.startsWith('max_')) ?? ''];

test.each(BEYOND_TASKS)(
  'what the preset beyond demonstrations asks first of %s is longer than all that its model was shown',
  (name) => {
    const { model, taskConfig, curriculumStart } = defaultConfig(name, 'beyond-demonstrations');
    const asked = taskByName(name).levels[curriculumStart - 1] ?? {};
    expect(taskConfig).toMatchObject(asked);
    const names = Object.keys(asked);
    const shown = RECIPES.find((recipe) => recipe.name === model)?.shown ?? [];
    expect(shown.length).toBeGreaterThan(1);
    const longest = Math.max(...shown.map(({ config = {} }) => Number(mostOf(config, names))));
    expect(Number(mostOf(asked, names))).toBe(longest + 1);
  },
);
