/**
 * Draws the next token of each row from its logits as `engine/rollout/sampler.ts` does, in float32, and advances the row's slot: the
 * token that it feeds back, the tokens that it has left, and whether it is still alive. It takes one pass over the vocabulary if nothing
 * is filtered.
 */
import { filterCode } from './sampleFilter.ts';
import { kindsOf, type DecodeKernel, type DecodePlan, type Declaration } from './program.ts';
import { PENALTY_CODE, seenWords } from './repetitionPenalty.ts';
import { EXPONENTIAL_CODE, HASH_CODE } from './randomBits.ts';
import { LIST, MAX_SLOTS, slotCode, SLOT_IDLE, SLOT_RUNNING } from './rows.ts';

/** The value in place of the token's id + 1 if the logits are not finite. */
export const NOT_FINITE = 0xffffffff;
/**
 * The number of words in the settings before the ids of the stop tokens: temperature (0: greedy), top-k (0: off), top-p (f32), number of
 * stop tokens, noise on the logits (f32), min-p (f32; 0: off), repetition penalty (f32; 1: off).
 */
export const SETTINGS_HEADER_WORDS = 7;

function lanesOf(vocabSize: number, plan: DecodePlan): number {
  if (plan !== 'groups') return 1;
  return vocabSize <= 1024 ? 64 : 256;
}

const ROWS_PER_GROUP = 4;

/** The Gumbel noise of `engine/rollout/sampler.ts`, from the same bits. */
const GUMBEL_CODE = /* wgsl */ `${HASH_CODE}${EXPONENTIAL_CODE}
fn gumbel(bits: u32) -> f32 { return -log(exponential(bits)); }
`;

/** WGSL of sums and maxima over the lanes of a row, each as a tree of fixed shape. Every lane must call them. */
function reductions(lanes: number): string {
  if (lanes === 1) {
    return /* wgsl */ `
fn sumOverLanes(value: f32, lane: u32) -> f32 { return value; }
fn countOverLanes(value: u32, lane: u32) -> u32 { return value; }
fn maxOverLanes(value: f32, lane: u32) -> f32 { return value; }
fn minOverLanes(value: u32, lane: u32) -> u32 { return value; }`;
  }
  const reduction = (name: string, type: 'f32' | 'u32', join: (a: string, b: string) => string): string => {
    const memory = type === 'f32' ? 'floats' : 'words';
    return /* wgsl */ `
fn ${name}(value: ${type}, lane: u32) -> ${type} {
  ${memory}[lane] = value;
  workgroupBarrier();
  for (var stride = LANES / 2u; stride > 0u; stride /= 2u) {
    if (lane < stride) { ${memory}[lane] = ${join(`${memory}[lane]`, `${memory}[lane + stride]`)}; }
    workgroupBarrier();
  }
  let result = workgroupUniformLoad(&${memory}[0]);
  return result;
}`;
  };
  return `
var<workgroup> floats: array<f32, LANES>;
var<workgroup> words: array<u32, LANES>;
${reduction('sumOverLanes', 'f32', (a, b) => `${a} + ${b}`)}
${reduction('countOverLanes', 'u32', (a, b) => `${a} + ${b}`)}
${reduction('maxOverLanes', 'f32', (a, b) => `max(${a}, ${b})`)}
${reduction('minOverLanes', 'u32', (a, b) => `min(${a}, ${b})`)}`;
}

/**
 * Makes the kernel. `filtered`: top-k, top-p or min-p may leave tokens out. `penalised`: there is a repetition penalty. `width` is the
 * number of elements from one row of logits to the next. Ids from `drawable` on are never drawn, but belong to the distribution of the
 * log-probability. Bindings: list, logits, settings, slots, output [steps, MAX_SLOTS, OUTPUT_WORDS], and if penalised seen [slots,
 * seenWords].
 */
export function sampleKernel(
  vocabSize: number,
  width: number,
  { filtered, penalised }: { readonly filtered: boolean; readonly penalised: boolean },
  plan: DecodePlan,
  drawable = vocabSize,
): DecodeKernel {
  const lanes = lanesOf(vocabSize, plan);
  const declarations: Declaration[] = [
    LIST,
    ['logits', 'array<f32>', 'read'],
    ['settings', 'array<u32>', 'read'],
    ['slots', 'array<Slot>', 'write'],
    ['output', 'array<vec2u>', 'write'],
    ...(penalised ? [['seen', 'array<u32>', 'write'] as const] : []),
  ];
  const drawnBy = penalised ? 'penalised(logits[base + v], v)' : 'logits[base + v]';
  const score = penalised ? 'drawn' : 'logit';
  const entry =
    lanes === 1
      ? /* wgsl */ `
@compute @workgroup_size(${ROWS_PER_GROUP})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = id.x;
  let lane = 0u;`
      : /* wgsl */ `
@compute @workgroup_size(${lanes})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = group.x;`;
  return {
    label: `sample${filtered ? ' filtered' : ''}${penalised ? ' penalised' : ''}`,
    code: /* wgsl */ `${slotCode(declarations)}
const LANES = ${lanes}u;
const VOCABULARY = ${vocabSize}u;
const DRAWABLE = ${drawable}u;
${reductions(lanes)}
${GUMBEL_CODE}
${penalised ? PENALTY_CODE : ''}${filtered ? filterCode(drawnBy) : ''}
fn isStop(token: u32) -> bool {
  for (var i = 0u; i < settings[3]; i++) {
    if (settings[${SETTINGS_HEADER_WORDS}u + i] == token) { return true; }
  }
  return false;
}
${entry}
  if (row >= list.count) { return; }
  let base = row * ${width}u;
  let slot = list.rows[row].slot;
  let greedy = bitcast<f32>(settings[0]) == 0.0;
  let temperature = select(bitcast<f32>(settings[0]), 1.0, greedy);
  let generated = list.rows[row].position + 1u - list.rows[row].promptLength;
  let key = absorb(slots[slot].key, generated);
  ${penalised ? `seenAt = slot * ${seenWords(vocabSize)}u;` : ''}
  ${filtered ? 'let limits = filterLimits(base, temperature, lane);' : ''}
  var highest = -1.0e30;
  var total = 0.0;
  var bestScore = -1.0e30;
  var best = VOCABULARY;
  var broken = 0u;
  for (var v = lane; v < VOCABULARY; v += LANES) {
    let logit = logits[base + v];
    let bits = bitcast<u32>(logit);
    broken |= select(0u, 1u, (bits & 0x7f800000u) == 0x7f800000u && bits != 0xff800000u);
    // Differences first: a quotient of large logits would lose what tells them apart.
    let next = max(highest, logit);
    total = total * exp((highest - next) / temperature) + exp((logit - next) / temperature);
    highest = next;
    ${penalised ? `let drawn = ${drawnBy};` : ''}
    let score = ${score} / temperature + select(gumbel(absorb(key, v)), 0.0, greedy);
    if (v < DRAWABLE && score > bestScore${filtered ? ` && isCandidate(${score}, v, limits)` : ''}) {
      bestScore = score;
      best = v;
    }
  }
  let rowHighest = maxOverLanes(highest, lane);
  let rowTotal = sumOverLanes(total * exp((highest - rowHighest) / temperature), lane);
  let rowScore = maxOverLanes(bestScore, lane);
  // The lowest id among equal scores; the best of a lane is its lowest already.
  let token = minOverLanes(select(VOCABULARY, best, bestScore == rowScore), lane);
  let bad = countOverLanes(broken, lane) > 0u || token == VOCABULARY;
  ${penalised && lanes > 1 ? 'storageBarrier();' : ''}
  if (lane > 0u) { return; }
  let at = (list.step - 1u) * ${MAX_SLOTS}u + slot;
  if (bad) {
    output[at] = vec2u(${NOT_FINITE}u, 0u);
    slots[slot].alive = ${SLOT_IDLE}u;
    return;
  }
  let logprob = (logits[base + token] - rowHighest) / temperature - log(rowTotal);
  output[at] = vec2u(token + 1u, bitcast<u32>(logprob));
  ${penalised ? 'markSeen(token);' : ''}
  let left = slots[slot].left - 1u;
  slots[slot].token = token;
  slots[slot].generated = generated + 1u;
  slots[slot].left = left;
  slots[slot].alive = select(${SLOT_RUNNING}u, ${SLOT_IDLE}u, left == 0u || isStop(token));
}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: (rows) => [lanes === 1 ? Math.ceil(rows / ROWS_PER_GROUP) : rows],
  };
}
