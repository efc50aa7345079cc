/**
 * A model folder of a published shape with random weights, for measurements of size and time: written piece by piece, since it may be
 * larger than memory. Its tokenizer is that of the bundled starter.
 */
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { drawsFor, normal } from '@rl-playground/base/random';
import { SHAPES } from '@rl-playground/run/models';
import {
  safetensorsHeader,
  parseModelConfig,
  huggingFaceSpecs,
  sizeOf,
  BYTES_PER_ELEMENT,
  encode,
  type NumberType,
} from '@rl-playground/engine/parts';
import { repository } from '../src/cli/tools.ts';

/** Standard deviation of matrices, as published models begin with. */
const SIGMA = 0.02;
/** Numbers that are drawn; larger tensors repeat them, from another place each. */
const DRAWN = 1_000_003;
const DTYPES: Readonly<Record<NumberType, string>> = {
  F32: 'float32',
  F16: 'float16',
  BF16: 'bfloat16',
};

function normals(): Float32Array {
  const draw = drawsFor(135);
  return Float32Array.from({ length: DRAWN }, () => SIGMA * normal(draw));
}

/** Writes the folder where it does not exist yet. Throws where there is no such shape. */
export function writeShapedModel(folder: string, shape: string, type: NumberType): void {
  const json = SHAPES[shape];
  if (json === undefined)
    throw new Error(`There is no shape "${shape}"; choose one of: ${Object.keys(SHAPES).join(', ')}.`);
  if (existsSync(join(folder, 'config.json'))) return;
  mkdirSync(folder, { recursive: true });
  const specs = huggingFaceSpecs(parseModelConfig(json));
  const file = openSync(join(folder, 'model.safetensors'), 'w');
  writeSync(
    file,
    safetensorsHeader(specs.map(({ name, shape: extents }) => [name, { shape: extents, dtype: type }])),
  );
  const random = encode(normals(), type);
  const ones = encode(new Float32Array(1).fill(1), type);
  let phase = 0;
  for (const { name, shape: extents } of specs) {
    const bytes = sizeOf(extents) * BYTES_PER_ELEMENT[type];
    if (extents.length === 1) {
      writeSync(file, name.endsWith('.bias') ? Buffer.alloc(bytes) : Buffer.alloc(bytes, ones));
      continue;
    }
    for (let left = bytes; left > 0;) {
      const count = Math.min(left, random.length - phase);
      writeSync(file, random, phase, count);
      phase = (phase + count) % random.length;
      left -= count;
    }
  }
  closeSync(file);
  const starter = join(repository, 'public/models/starter');
  for (const name of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json'])
    copyFileSync(join(starter, name), join(folder, name));
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({
      ...json,
      torch_dtype: DTYPES[type],
      rl_playground: { prompt_style: 'compact' },
    }),
  );
}
