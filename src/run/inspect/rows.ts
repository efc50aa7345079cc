/** The questions to a model, one JSON object a row. */
import { z } from 'zod';
import { parsedJson } from '@rl-playground/base/json';

const ids = z.array(z.number().int().nonnegative(), { error: 'a list of token ids' });
const someIds = ids.min(1, { error: 'a list of at least one token id' });

const ROWS = {
  encode: z.object({ text: z.string({ error: 'a text' }) }),
  decode: z.object({ ids }),
  chat: z.object({
    messages: z.array(z.looseObject({}), { error: 'a list of messages' }),
    add_generation_prompt: z.boolean({ error: 'true or false' }).default(false),
    enable_thinking: z.boolean({ error: 'true or false' }).optional(),
  }),
  template: z.object({
    template: z.string({ error: 'a text' }),
    variables: z.looseObject({}, { error: 'an object' }),
  }),
  logits: z.object({ ids: someIds }),
  logprobs: z.object({
    ids: someIds,
    temperature: z.number({ error: 'a number above 0' }).positive({ error: 'a number above 0' }).default(1),
  }),
  greedy: z.object({
    ids: someIds,
    max: z.number({ error: 'a whole number' }).int({ error: 'a whole number' }).nonnegative({
      error: 'a whole number of at least 0',
    }),
  }),
  info: z.object({}),
} as const;

export type RowKind = keyof typeof ROWS;
export type Row = { [Kind in RowKind]: { readonly op: Kind } & z.output<(typeof ROWS)[Kind]> }[RowKind];

/** The form of each op's row, for the program's help. */
export const ROW_FORMS = [
  '{"op":"encode","text"} → {"ids"}: no special tokens are added',
  '{"op":"decode","ids"} → {"text"}: special tokens are left out, nothing is tidied',
  '{"op":"chat","messages","add_generation_prompt","enable_thinking"} → {"text","ids"}',
  '{"op":"template","template","variables"} → {"text"}: any template of Jinja2, as chat templates are rendered',
  '{"op":"logits","ids"} → {"logits"}: [tokens][vocabulary]',
  '{"op":"logprobs","ids","temperature"} → {"logprobs","entropy"}: of the next tokens, nats',
  '{"op":"greedy","ids","max"} → {"ids"}: the new ones, the stop token included',
  '{"op":"info"} → the configuration as it was read',
] as const;

function isKind(op: unknown): op is RowKind {
  return typeof op === 'string' && Object.hasOwn(ROWS, op);
}

/** @throws Error saying what is wrong with the line. */
export function parseRow(line: string): Row {
  const json = parsedJson(line);
  if ('error' in json) throw new Error(`This line is no JSON: ${json.error}`);
  const asked = z.looseObject({ op: z.unknown() }).safeParse(json.value);
  if (!asked.success) throw new Error('A row must be a JSON object with the field "op".');
  const { op } = asked.data;
  if (!isKind(op))
    throw new Error(
      `There is no op ${JSON.stringify(op) ?? '(none was given)'}; the ops are ${Object.keys(ROWS).join(', ')}.`,
    );
  const parsed = ROWS[op].safeParse(asked.data);
  // The schema that was looked up by `op` has read the fields.
  if (parsed.success) return { op, ...parsed.data } as Row;
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length > 1
      ? `${path.slice(0, -1).join('.')}[${String(path.at(-1))}]: ${message}`
      : `${path.join('.')} must be ${message}`,
  );
  throw new Error(`${op}: ${problems[0] ?? 'the row can’t be read'}.`);
}
