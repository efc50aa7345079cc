/** A LoRA adapter of the starter, as PEFT saves one, with made-up factors. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  peftConfigFile,
  writeSafetensors,
  parseModelConfig,
  peftSpecs,
  type LoraSettings,
} from '@rl-playground/engine/parts';

const starter = fileURLToPath(new URL('../public/models/starter/config.json', import.meta.url));

export const ADAPTER_SETTINGS: LoraSettings = { rank: 3, alpha: 6, targets: ['q_proj', 'up_proj'] };

/** Its files. `base`: what it says that it was trained beside; `changes`: of `adapter_config.json`. */
export function starterAdapter(
  base: { readonly name: string; readonly revision: string | null },
  changes: object = {},
): Map<string, Uint8Array> {
  const config = parseModelConfig(JSON.parse(readFileSync(starter, 'utf8')));
  const arrays = new Map(
    peftSpecs(config, ADAPTER_SETTINGS).map(({ name, shape }) => {
      const length = shape.reduce((product, extent) => product * extent, 1);
      return [name, { shape, data: Float32Array.from({ length }, (_, i) => Math.sin(i) / 50) }] as const;
    }),
  );
  const described: unknown = JSON.parse(new TextDecoder().decode(peftConfigFile(ADAPTER_SETTINGS, base)));
  return new Map([
    ['adapter_config.json', new TextEncoder().encode(JSON.stringify(Object.assign({}, described, changes)))],
    ['adapter_model.safetensors', writeSafetensors(arrays)],
  ]);
}
