import { expect, test } from 'vitest';
import { defaultConfig } from '../../src/config/presets.ts';
import { taskByName } from '../../src/tasks/index.ts';
import { SHORT_MODEL } from '../../src/tasks/starters.ts';
import { RECIPES } from './recipes.ts';

test('what the preset beyond demonstrations asks first is longer than all that its model was shown', () => {
  const { model, task, taskConfig, curriculumStart } = defaultConfig(
    'sum_digits_titan',
    'beyond-demonstrations',
  );
  expect(model).toBe(SHORT_MODEL);
  const asked = { min_numbers: 4, max_numbers: 4 };
  expect(taskConfig).toMatchObject(asked);
  expect(taskByName(task).levels[curriculumStart - 1]).toEqual(asked);
  const recipe = RECIPES.find(({ name }) => name === model);
  expect(recipe?.shown.map(({ config }) => config?.['max_numbers'])).toEqual([2, 3, 2, 3]);
});
