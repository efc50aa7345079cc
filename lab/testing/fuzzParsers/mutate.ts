/**
 * The changes that strangers make to files: they repeat, nest, refer to themselves and lie about lengths, in the terms of the format; and
 * bits flip. Draws decide everything.
 */
import fc from 'fast-check';
import { pick, uniformInt, type Draw } from '@rl-playground/base/random';
import { hostileText } from '@rl-playground/base/testing/hostileText';

export type { Draw };

/** A value of an arbitrary, decided by a draw. */
function anyOf<Value>(draw: Draw, arbitrary: fc.Arbitrary<Value>): Value {
  const [value] = fc.sample(arbitrary, { seed: uniformInt(draw, 0, 2 ** 31 - 1), numRuns: 1 });
  return value as Value;
}

/** Numbers that sizes, counts and ids are not. */
const LIES = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -1, 255, 2 ** 31, 2 ** 32 - 1),
);
const LENGTHS = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const ODD_VALUES = fc.jsonValue();
/** fast-check's own strings have names such as `__proto__` and `toString` among them. */
const ODD_NAMES = fc.oneof(fc.constantFrom('../x', '<<', 'a.b', 'length'), fc.string({ unit: 'binary' }));
const REFERENCES = [
  '${a}',
  '${seed}',
  '${a}${a}',
  '${oc.env:A,b}',
  '${now:%Y}',
  '${.b}',
  '${${a}}',
  '{{ a }}',
  '*a',
  '&a [*a]',
  '$ref',
];
/** The placeholder for text that no value could be written as. */
const MARK = 'FUZZ-MARK-7';

/** The most characters: a repetition of repetitions grows beyond what anyone sends. */
const LONGEST = 2_000_000;

/** A number that is mostly small, and now and then large. */
export function count(draw: Draw, most: number): number {
  return uniformInt(draw, 1, draw() < 0.9 ? Math.min(most, 12) : most);
}

/** The number of times that a value is repeated: limited so that a repetition of repetitions can still be written. */
function repeats(draw: Draw, value: unknown, most: number): number {
  const written = (JSON.stringify(value) ?? '').length + 1;
  return count(draw, Math.max(1, Math.min(most, Math.floor(LONGEST / written))));
}

type Place = { readonly holder: Record<string, unknown> | unknown[]; readonly key: string };

/** A place in a value of JSON, by a random way down. */
function placeIn(draw: Draw, root: Record<string, unknown>): Place {
  let place: Place = { holder: root, key: pick(draw, Object.keys(root).concat('')) };
  for (;;) {
    const inside = (place.holder as Record<string, unknown>)[place.key];
    if (typeof inside !== 'object' || inside === null || draw() < 0.25) return place;
    const keys = Object.keys(inside);
    if (keys.length === 0) return place;
    place = { holder: inside as Record<string, unknown>, key: pick(draw, keys) };
  }
}

function put({ holder, key }: Place, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A value inside others, as it is written: deeper than a recursion reaches, sometimes. */
function nestedText(draw: Draw): string {
  const depth = count(draw, draw() < 0.1 ? 50_000 : 500);
  const [open, close] = pick(draw, [
    ['[', ']'],
    ['{"a":', '}'],
    ['[0,', ']'],
  ] as const);
  return (
    open.repeat(depth) + pick(draw, ['0', 'null', '"x"', '']) + close.repeat(draw() < 0.9 ? depth : depth - 1)
  );
}

function mutateOnce(draw: Draw, root: Record<string, unknown>, texts: string[]): void {
  const place = placeIn(draw, root);
  const { holder, key } = place;
  const before = (holder as Record<string, unknown>)[key];
  const kind = draw();
  if (kind < 0.25) put(place, anyOf(draw, LIES));
  else if (kind < 0.4) put(place, anyOf(draw, ODD_VALUES));
  else if (kind < 0.5) put(place, pick(draw, REFERENCES));
  else if (kind < 0.6 && !Array.isArray(holder)) {
    delete holder[key];
    if (draw() < 0.7) put({ holder, key: anyOf(draw, ODD_NAMES) }, before);
  } else if (kind < 0.7 && Array.isArray(before)) {
    const times = repeats(draw, before, Math.ceil(5000 / (before.length + 1)));
    put(place, Array.from({ length: times }, () => before as unknown[]).flat());
  } else if (kind < 0.8) {
    const more = Array.from(
      { length: repeats(draw, before, 3000) },
      (_, i) => [`${key}${i}`, before ?? i] as const,
    );
    put(
      place,
      typeof before === 'object' && !Array.isArray(before)
        ? { ...before, ...Object.fromEntries(more) }
        : Object.fromEntries(more),
    );
  } else if (kind < 0.9)
    put(place, hostileText(draw, typeof before === 'string' ? before : 'x').slice(0, 20_000));
  else {
    put(place, `${MARK}${texts.length}`);
    texts.push(nestedText(draw));
  }
}

/** JSON of an object after one to three changes of its structure, and now and then of its text. */
export function mutatedJson(draw: Draw, value: object): string {
  const root = structuredClone(value) as Record<string, unknown>;
  const texts: string[] = [];
  for (let changes = uniformInt(draw, 1, 3); changes > 0; changes--) mutateOnce(draw, root, texts);
  const text = texts.reduce(
    (all, nested, i) => all.replace(`"${MARK}${i}"`, () => nested),
    JSON.stringify(root),
  );
  return draw() < 0.1 ? mutatedText(draw, text) : text.slice(0, LONGEST);
}

/** Signs that a format is made of, and any others. */
const TEXTS = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'"\'\n\r,:{}[]\\\0\ufeff\t- &*$') }),
  fc.string({ unit: 'binary' }),
);

/** A text with parts of it repeated, taken out, exchanged or damaged. */
export function mutatedText(draw: Draw, text: string): string {
  let now = text;
  for (let changes = uniformInt(draw, 1, 3); changes > 0; changes--) {
    const from = uniformInt(draw, 0, now.length);
    const to = Math.min(now.length, from + count(draw, 200));
    const part = now.slice(from, to);
    const kind = draw();
    const put =
      kind < 0.3
        ? part.repeat(count(draw, Math.max(1, Math.floor(20_000 / (part.length + 1)))))
        : kind < 0.5
          ? ''
          : kind < 0.8
            ? anyOf(draw, TEXTS)
            : hostileText(draw, part).slice(0, 5000);
    now = now.slice(0, from) + put + now.slice(to);
  }
  return now.slice(0, 400_000);
}

/** Bytes with some of them flipped, cut out, repeated or exchanged, or words of them made lengths that are not there. */
export function mutatedBytes(draw: Draw, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  let now = new Uint8Array(bytes);
  for (let changes = uniformInt(draw, 1, 3); changes > 0; changes--) {
    const at = uniformInt(draw, 0, Math.max(0, now.length - 1));
    const kind = draw();
    if (kind < 0.3) now.set(anyOf(draw, fc.uint8Array({ maxLength: Math.min(8, now.length - at) })), at);
    else if (kind < 0.6 && at + 4 <= now.length)
      new DataView(now.buffer).setUint32(at, anyOf(draw, LENGTHS), draw() < 0.9);
    else if (kind < 0.7) now = now.slice(0, at);
    else {
      const part = now.slice(at, at + count(draw, 400));
      const times = kind < 0.85 ? count(draw, 50) : 0;
      const rest = now.slice(at + part.length);
      const next = new Uint8Array(at + part.length * times + rest.length);
      next.set(now.subarray(0, at));
      for (let i = 0; i < times; i++) next.set(part, at + i * part.length);
      next.set(rest, at + part.length * times);
      now = next;
    }
  }
  return now;
}
