/** The window and the rotation of each layer, read from a `config.json`. */
import { ModelConfigError, type RawConfig, type RawRope } from './configFile.ts';

export interface RopeScaling {
  readonly type: 'linear' | 'llama3';
  readonly factor: number;
  /** A factor that only llama3 has. */
  readonly lowFreqFactor: number;
  readonly highFreqFactor: number;
  readonly originalMaxPositions: number;
}

/** A rotary position embedding. */
export interface Rope {
  readonly theta: number;
  readonly scaling: RopeScaling | null;
}

export interface LayerAttention {
  /** The number of positions that a query sees, its own the last of them; null for all. */
  readonly window: number | null;
  /** The rotation of queries and keys; null if they are not rotated. */
  readonly rope: Rope | null;
}

/** The number of positions of so many whose keys and values a layer needs for the next token. */
export const positionsKept = ({ window }: Pick<LayerAttention, 'window'>, positions: number): number =>
  Math.min(window ?? positions, positions);

/** The windows of a family. */
export interface WindowRule {
  /** The window that the config has in use; null for none. */
  readonly length: (raw: RawConfig) => number | null;
  /** True if a layer has the window. `layer_types` decides where it is there, except for families that do not read it. */
  readonly slides: (raw: RawConfig, layer: number) => boolean;
  readonly readsLayerTypes: boolean;
}

/** The window of a config that states none. */
const DEFAULT_WINDOW = 4096;

const statedWindow = ({ sliding_window: window }: RawConfig): number | null =>
  window === undefined ? DEFAULT_WINDOW : window;

/** Llama, Arcee and Granite: none. */
export const NO_WINDOWS: WindowRule = { length: () => null, slides: () => false, readsLayerTypes: false };

/** Mistral: in every layer. */
export const WINDOW_EVERYWHERE: WindowRule = {
  length: statedWindow,
  slides: (raw) => raw.sliding_window !== null,
  readsLayerTypes: false,
};

const switchedOn = (raw: RawConfig): number | null =>
  raw.use_sliding_window === true ? statedWindow(raw) : null;

/** Qwen: from a layer on, where it is switched on. */
export const WINDOW_ABOVE: WindowRule = {
  length: switchedOn,
  slides: (raw, layer) => switchedOn(raw) !== null && layer >= (raw.max_window_layers ?? 28),
  readsLayerTypes: true,
};

/** Gemma 3: in all layers but every sixth. */
export const WINDOW_BETWEEN: WindowRule = {
  length: statedWindow,
  slides: (raw, layer) => (layer + 1) % (raw.sliding_window_pattern ?? 6) !== 0,
  readsLayerTypes: true,
};

/** SmolLM3: in the layers without RoPE, where it is switched on. */
export const WINDOW_WITHOUT_ROPE: WindowRule = {
  length: (raw) => (raw.sliding_window == null ? null : switchedOn(raw)),
  slides: (raw, layer) =>
    raw.use_sliding_window === true && raw.sliding_window != null && !hasRope(raw, layer),
  readsLayerTypes: true,
};

/** SmolLM3 leaves RoPE out of every fourth layer, or where its list has a 0. */
export function hasRope(
  { no_rope_layers: listed, no_rope_layer_interval: interval }: RawConfig,
  layer: number,
): boolean {
  return listed ? listed[layer] !== 0 : (layer + 1) % (interval ?? 4) !== 0;
}

/** The bases of families, where a config states none. */
export interface RopeRule {
  readonly theta: number;
  /** The base of layers with a window (Gemma 3), which is never scaled; null if it is that of the others. */
  readonly localTheta: number | null;
  /** True if a layer is rotated. */
  readonly has: (raw: RawConfig, layer: number) => boolean;
}

function ropeScalingOf(rope: RawRope | null, maxPositions: number): RopeScaling | null {
  const type = rope?.rope_type ?? rope?.type ?? 'default';
  if (rope === null || type === 'default') return null;
  if (type !== 'linear' && type !== 'llama3')
    throw new ModelConfigError(
      `config.json: RoPE scaling of type "${type}" is not supported; supported are none, linear and llama3.`,
    );
  const required = (name: 'factor' | 'low_freq_factor' | 'high_freq_factor'): number => {
    const value = rope[name];
    if (typeof value === 'number') return value;
    throw new ModelConfigError(
      `config.json: RoPE scaling of type ${type} needs a number in "${name}", found none.`,
    );
  };
  const factor = required('factor');
  if (type === 'linear') {
    return { type, factor, lowFreqFactor: 1, highFreqFactor: 1, originalMaxPositions: maxPositions };
  }
  const lowFreqFactor = required('low_freq_factor');
  const highFreqFactor = required('high_freq_factor');
  if (highFreqFactor <= lowFreqFactor)
    throw new ModelConfigError(
      `config.json: llama3 RoPE scaling needs high_freq_factor > low_freq_factor, found ${highFreqFactor} and ${lowFreqFactor}.`,
    );
  const originalMaxPositions = rope.original_max_position_embeddings;
  if (typeof originalMaxPositions !== 'number')
    throw new ModelConfigError(
      'config.json: RoPE scaling of type llama3 needs a number in "original_max_position_embeddings", found none.',
    );
  return { type, factor, lowFreqFactor, highFreqFactor, originalMaxPositions };
}

function ropeOf(rope: RawRope | null, theta: number, maxPositions: number): Rope {
  if (rope?.partial_rotary_factor != null && rope.partial_rotary_factor !== 1)
    throw new ModelConfigError(
      `config.json: partial_rotary_factor is ${rope.partial_rotary_factor}; supported is 1 (RoPE over the whole head).`,
    );
  return { theta: rope?.rope_theta ?? theta, scaling: ropeScalingOf(rope, maxPositions) };
}

/** The rotations of layers that see everything and of those with a window. */
function ropesOf(raw: RawConfig, rule: RopeRule, maxPositions: number): { full: Rope; local: Rope } {
  const { rope_parameters: parameters, rope_scaling: scaling, rope_theta: stated } = raw;
  const ofAll = parameters ?? scaling ?? null;
  const full = ropeOf(parameters?.full_attention ?? ofAll, stated ?? rule.theta, maxPositions);
  if (rule.localTheta === null) return { full, local: full };
  const localTheta = raw.rope_local_base_freq ?? rule.localTheta;
  return { full, local: ropeOf(parameters?.sliding_attention ?? null, localTheta, maxPositions) };
}

const LAYER_TYPES: readonly string[] = ['full_attention', 'sliding_attention'];

/** Checks `layer_types` before it decides anything. */
function checkLayerTypes({ layer_types: types, num_hidden_layers: layers }: RawConfig): void {
  if (types == null) return;
  const unknown = types.find((type) => !LAYER_TYPES.includes(type));
  if (unknown !== undefined)
    throw new ModelConfigError(
      `config.json: layer_types has "${unknown}"; supported are ${LAYER_TYPES.join(' and ')}.`,
    );
  if (types.length !== layers)
    throw new ModelConfigError(
      `config.json: layer_types names ${types.length} layers, and num_hidden_layers is ${layers}; both must be the same.`,
    );
}

/** The window of layers that have one. A window as long as the context hides nothing. */
function windowOf(raw: RawConfig, { length }: WindowRule, maxPositions: number): number | null {
  const window = length(raw);
  if (window === null)
    throw new ModelConfigError(
      'config.json: layer_types has sliding_attention, and no window is in use; it needs a number in "sliding_window", and "use_sliding_window" true where the family has that switch.',
    );
  if (!Number.isInteger(window) || window < 1)
    throw new ModelConfigError(`config.json: sliding_window is ${window}; it must be a whole number from 1.`);
  return window < maxPositions ? window : null;
}

/** One entry for each layer. @throws ModelConfigError for windows and rotations that are not supported. */
export function layerAttentionOf(
  raw: RawConfig,
  windows: WindowRule,
  rotations: RopeRule,
  maxPositions: number,
): LayerAttention[] {
  if (windows.readsLayerTypes) checkLayerTypes(raw);
  const { full, local } = ropesOf(raw, rotations, maxPositions);
  return Array.from({ length: raw.num_hidden_layers }, (_, layer) => {
    const type = windows.readsLayerTypes ? raw.layer_types?.[layer] : undefined;
    const isLocal = type === undefined ? windows.slides(raw, layer) : type === 'sliding_attention';
    const rotated = rotations.has(raw, layer);
    return {
      window: isLocal ? windowOf(raw, windows, maxPositions) : null,
      rope: rotated ? (isLocal ? local : full) : null,
    };
  });
}
