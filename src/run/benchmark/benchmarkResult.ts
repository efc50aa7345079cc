/** The result of a benchmark of a visitor's machine, as it is kept, shown and carried by links. */
import { z } from 'zod';
import { linkedJson, valueOfLinked } from '@rl-playground/base/linkedJson';
import { median } from '@rl-playground/base/statistics';
import { choice, count, quantity } from '@rl-playground/base/valueSchemas';

/** The answers that are sampled side by side and make one update, and the tokens of each. */
export const ROWS = 64;
export const ANSWER_TOKENS = 32;

/** The figures in the order in which they are measured, each with its unit. */
export const FIGURES = {
  copy: { label: 'Copying memory', unit: 'GB/s' },
  product: { label: 'Matrix product', unit: 'GFLOP/s' },
  rows: { label: `Sampling ${ROWS} answers`, unit: 'tokens/s' },
  one: { label: 'Sampling one answer', unit: 'tokens/s' },
  update: { label: `One update on ${ROWS} answers`, unit: 's' },
} as const;
export type FigureName = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly FigureName[];

/** Counts up when fields change their meaning. A link of another format is refused. */
const FORMAT = 1;
const LONGEST_TEXT = 100;
/** Controls, marks that turn the direction of text, and whatever else has no glyph. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A text of the browser in the form that a result takes: one line of at most 100 characters. */
export const plainLine = (text: string): string => text.replaceAll(UNSEEN, ' ').trim().slice(0, LONGEST_TEXT);

const line = z
  .string()
  .max(LONGEST_TEXT)
  .refine((text) => plainLine(text) === text, { error: 'is no plain line of text' });

const amount = quantity(1e-9, 1e12);
const figureSchema = z
  .strictObject({ median: amount, least: amount, most: amount, repeats: count(1, 1000) })
  .refine(({ median: middle, least, most }) => least <= middle && middle <= most, {
    error: 'has a median outside of its least and most',
  });
export type Figure = z.output<typeof figureSchema>;

const resultSchema = z.strictObject({
  /** The page's version. */
  version: line,
  /** The day of the measurement, as 2026-11-30. */
  day: z.iso.date(),
  browser: line,
  backend: choice(['webgpu', 'wasm']),
  /** True if an adapter of WebGPU computes on the CPU. */
  software: z.boolean(),
  name: line,
  /** The vendor's name. This and the two texts below are empty where the browser does not say. */
  vendor: line,
  architecture: line,
  description: line,
  features: z.array(line).max(8),
  /** The fewest and most lanes of a subgroup; null where unknown. */
  subgroups: z.tuple([count(1, 1024), count(1, 1024)]).nullable(),
  /** The threads of the CPU that compute; 1 on a GPU. */
  threads: count(1, 1024),
  /** The rows of the square matrices that were multiplied. */
  productSize: count(1, 65_536),
  /** The measured figures; null where no time was left for one. */
  figures: z.strictObject({
    copy: figureSchema.nullable(),
    product: figureSchema.nullable(),
    rows: figureSchema.nullable(),
    one: figureSchema.nullable(),
    update: figureSchema.nullable(),
  }),
});
export type BenchmarkResult = z.output<typeof resultSchema>;

/** Four digits say more than repeats agree in. */
const rounded = (value: number): number => Number(value.toPrecision(4));

/** Returns median, least and most of repeats, in four digits. @throws Error on an empty list */
export function figureOf(values: readonly number[]): Figure {
  return {
    median: rounded(median(values)),
    least: rounded(Math.min(...values)),
    most: rounded(Math.max(...values)),
    repeats: values.length,
  };
}

/** Resolves to the result as text for a link. */
export async function linkedBenchmark(result: BenchmarkResult): Promise<string> {
  const text = await linkedJson([FORMAT, result]);
  if (text === null) throw new Error('The result is longer than a link may be.');
  return text;
}

/** Resolves to the result in the text of a link, which anybody may have written. @throws Error that says what is wrong with it */
export async function benchmarkOfLinked(text: string): Promise<BenchmarkResult> {
  try {
    const [format, result] = z.tuple([z.unknown(), z.unknown()]).parse(await valueOfLinked(text));
    if (format !== FORMAT)
      throw new Error(`it has format ${JSON.stringify(format)?.slice(0, 20)}, and this page reads ${FORMAT}`);
    return resultSchema.parse(result);
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : [];
    const reason = issue === undefined ? String(error) : `${issue.path.join('.')}: ${issue.message}`;
    throw new Error(
      `The link’s measurement can’t be read (${reason}). It may have been cut when it was copied, or come from another version: ask for it again. Nothing on this page has changed.`,
    );
  }
}
