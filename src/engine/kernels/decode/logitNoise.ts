/** Adds Gaussian noise to the logits that tokens will be drawn from, as `engine/rollout/decoding/logitNoise.ts` does, in float32. */
import { kindsOf, type DecodeKernel, type Declaration } from './program.ts';
import { EXPONENTIAL_CODE, HASH_CODE } from './randomBits.ts';
import { LIST, slotCode } from './rows.ts';

/** The index of the settings' word with the standard deviation (f32). */
export const LOGIT_NOISE_WORD = 4;
const ITEMS = 64;

/**
 * Makes the kernel. `width` is the number of elements from one row of logits to the next. `streams` separate the two numbers of a normal
 * from each other and from the draw of the token. Bindings: list, settings, slots, logits.
 */
export function logitNoiseKernel(
  vocabSize: number,
  width: number,
  streams: { readonly radius: number; readonly angle: number },
): DecodeKernel {
  const declarations: Declaration[] = [
    LIST,
    ['settings', 'array<u32>', 'read'],
    ['slots', 'array<Slot>', 'read'],
    ['logits', 'array<f32>', 'write'],
  ];
  return {
    label: 'logit noise',
    code: /* wgsl */ `${slotCode(declarations)}
${HASH_CODE}
${EXPONENTIAL_CODE}
// cos(2 pi t) of t in [0, 1), by the series of sin over a half turn: a GPU's own cosine may be off by 2^-11.
fn cosOfTurns(turns: f32) -> f32 {
  let x = 3.14159265 * (2.0 * abs(turns - 0.5) - 0.5);
  let s = x * x;
  return x * (1.0 - s * (0.16666667 - s * (8.3333333e-3 - s * (1.98412698e-4 - s * (2.75573192e-6 - s * 2.50521084e-8)))));
}
@compute @workgroup_size(${ITEMS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.y;
  if (row >= list.count || id.x >= ${vocabSize}u) { return; }
  let generated = list.rows[row].position + 1u - list.rows[row].promptLength;
  let key = absorb(slots[list.rows[row].slot].key, generated);
  let radius = sqrt(2.0 * exponential(absorb(absorb(key, ${streams.radius}u), id.x)));
  let turns = f32(absorb(absorb(key, ${streams.angle}u), id.x)) * 2.3283064365386963e-10;
  logits[row * ${width}u + id.x] += bitcast<f32>(settings[${LOGIT_NOISE_WORD}]) * radius * cosOfTurns(turns);
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [Math.ceil(vocabSize / ITEMS), rows],
  };
}
