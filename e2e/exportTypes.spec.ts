/** The types of weights in the export dialog. */
import { expect, test } from './fixtures.ts';
import { press } from './page.ts';

test('blocks are offered for GGUF alone, each type with its size', async ({ page, openPage }) => {
  await openPage({ task: 'reverse_digits' });
  await press(page, 'export-button');
  const type = page.getByTestId('export-type');
  const values = (): Promise<string[]> =>
    type
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  await expect.poll(values).toEqual(['F32', 'F16', 'BF16', 'base']);
  await page.getByTestId('export-format').selectOption('gguf');
  await expect.poll(values).toEqual(['F32', 'F16', 'BF16', 'base', 'Q8_0', 'Q6_K', 'Q4_1', 'Q4_K', 'Q4_0']);
  await type.selectOption('Q4_K');
  await expect(type.locator('option:checked')).toHaveText(/^Q4_K, 4\.5 bits, \d+ MB$/);
  await page.getByTestId('export-format').selectOption('merged');
  await expect(type).toHaveValue('base');
});
