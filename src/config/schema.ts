/** The schema of a whole run config: the form, the link, the command line and the checkpoint's record are read off it. */
import * as z from 'zod';
import { RULES } from './rules.ts';
import { RUN_SHAPE } from './runFields.ts';

export type { RunConfig } from './runFields.ts';

/** Checks each field alone. */
export const runFieldsSchema = z.strictObject(RUN_SHAPE);

/** Checks each field alone, then the rules between fields. Unknown keys are errors. */
export const runConfigSchema = runFieldsSchema.check((context) => {
  for (const rule of RULES) {
    const broken = rule.broken(context.value);
    if (broken === null) continue;
    const { path, message } = typeof broken === 'string' ? { path: [], message: broken } : broken;
    context.issues.push({
      code: 'custom',
      path: [rule.field, ...path],
      message,
      input: context.value[rule.field],
    });
  }
});
