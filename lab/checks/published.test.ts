/** The address of the repository, which whoever publishes the packages changes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { repository } from '../../src/cli/tools.ts';

const manifest = z.object({ repository: z.object({ url: z.string(), directory: z.string().optional() }) });
const addressIn = (folder: string) =>
  manifest.parse(JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8'))).repository;

test.each(['src/engine', 'src/tasks', 'src/cli'])('%s names the repository that the root names', (folder) => {
  expect(addressIn(folder)).toEqual({ url: addressIn('.').url, directory: folder });
});
