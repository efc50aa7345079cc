/**
 * The rows of a decoding batch. A slot holds a completion's state. Before each token the slots that are still alive are gathered into a
 * list without gaps, and all kernels work on the rows of that list. A row's numbers depend on nothing but its own state, so neither the
 * list's order nor its length can change them.
 */
import { declareBindings, kindsOf, type DecodeKernel, type DecodePlan, type Declaration } from './program.ts';

/** The number of 32-bit words of a slot, in the order of `Slot`. */
export const SLOT_WORDS = 12;
/** The number of 32-bit words of a row, in the order of `Row`. */
export const ROW_WORDS = 8;
/** The number of 32-bit words before the first row of a list. */
export const LIST_HEADER_WORDS = 4;

/** The values of `alive`. A fresh slot draws its first token from the hidden state of its prompt. */
export const SLOT_IDLE = 0;
export const SLOT_RUNNING = 1;
export const SLOT_FRESH = 2;

/** The indices of a slot's words `alive` and `room`. */
export const SLOT_ALIVE_WORD = 3;
export const SLOT_ROOM_WORD = 9;

export interface SlotState {
  /** The first table entry of the pages of its prompt's keys. */
  readonly promptPages: number;
  readonly promptLength: number;
  /** The first table entry of the pages of its own keys. */
  readonly ownPages: number;
  /** The number of its own keys that its pages have room for. It waits if it has more tokens. */
  readonly room: number;
  /** The row of `hidden` with the state of its prompt. */
  readonly place: number;
  /** The hash `rowKey`. */
  readonly key: number;
  readonly maxTokens: number;
}

/** Writes a fresh slot. */
export function writeSlot(words: Uint32Array, at: number, slot: SlotState): void {
  const { promptPages, promptLength, ownPages, place, key, maxTokens, room } = slot;
  words.set([0, 0, maxTokens, SLOT_FRESH, promptPages, promptLength, ownPages, place, key, room], at);
}

export interface PrefillRow {
  readonly token: number;
  readonly position: number;
  readonly promptPages: number;
  /** The place where its hidden state is kept, for the last token of a prompt; null for other tokens. */
  readonly place: number | null;
}

/** Writes row `index` of a list of prompt tokens, whose rows have no keys of their own yet. */
export function writePrefillRow(words: Uint32Array, index: number, row: PrefillRow): void {
  const at = LIST_HEADER_WORDS + index * ROW_WORDS;
  const { token, position, promptPages, place } = row;
  words.set([0, token, position, promptPages, position + 1, 0, place === null ? 0 : place + 1], at);
}

const ROW_STRUCT = /* wgsl */ `
struct Row { slot: u32, token: u32, position: u32, promptPages: u32, promptLength: u32, ownPages: u32, place: u32, unused: u32 }
struct List { count: u32, step: u32, unused0: u32, unused1: u32, rows: array<Row> }
`;

const SLOT_STRUCT = /* wgsl */ `
struct Slot {
  token: u32, generated: u32, left: u32, alive: u32,
  promptPages: u32, promptLength: u32, ownPages: u32, place: u32,
  key: u32, room: u32, unused0: u32, unused1: u32,
}
`;

export const LIST: Declaration = ['list', 'List', 'read'];
export const listCode = (declarations: readonly Declaration[]): string =>
  `${ROW_STRUCT}${declareBindings(declarations)}\n`;
export const slotCode = (declarations: readonly Declaration[]): string =>
  `${SLOT_STRUCT}${listCode(declarations)}`;

/** The most slots of a batch: one workgroup gathers them. */
export const MAX_SLOTS = 128;

/** The number of words for each slot in each step of the output: the token's id + 1 (0: none), and the bits of its log-probability. */
export const OUTPUT_WORDS = 2;

/**
 * Lists the slots that have this value of `alive` and a page for their next key, in the order of slots, and counts the step. Bindings:
 * slots, list, uniform with the number of slots in use.
 */
export function gatherKernel(plan: DecodePlan, alive: number): DecodeKernel {
  const declarations: Declaration[] = [
    ['slots', 'array<Slot>', 'read'],
    ['list', 'List', 'write'],
    ['bounds', 'vec4u', 'uniform'],
  ];
  const store = /* wgsl */ `
fn ready(slot: Slot) -> bool { return slot.alive == ${alive}u && slot.generated <= slot.room; }
fn store(index: u32, s: u32) {
  let slot = slots[s];
  list.rows[index] = Row(s, slot.token, slot.promptLength + slot.generated - 1u, slot.promptPages, slot.promptLength,
    slot.ownPages, slot.place, 0u);
}`;
  const serial = /* wgsl */ `
@compute @workgroup_size(1)
fn main() {
  var count = 0u;
  for (var s = 0u; s < bounds.x; s++) {
    if (ready(slots[s])) {
      store(count, s);
      count++;
    }
  }
  list.count = count;
  list.step++;
}`;
  const parallel = /* wgsl */ `
var<workgroup> flags: array<u32, ${MAX_SLOTS}>;
@compute @workgroup_size(${MAX_SLOTS})
fn main(@builtin(local_invocation_index) s: u32) {
  let chosen = s < bounds.x && ready(slots[min(s, bounds.x - 1u)]);
  flags[s] = select(0u, 1u, chosen);
  workgroupBarrier();
  var before = 0u;
  for (var i = 0u; i < s; i++) { before += flags[i]; }
  if (chosen) { store(before, s); }
  if (s == ${MAX_SLOTS - 1}u) {
    list.count = before + flags[s];
    list.step++;
  }
}`;
  return {
    label: `gather ${alive}`,
    code: `${slotCode(declarations)}${store}${plan === 'groups' ? parallel : serial}`,
    bindings: kindsOf(declarations),
    rowWork: 0,
    workgroups: () => [1],
  };
}
