/** The matrices that may get LoRA factors, by their Hugging Face names: those of each layer, and the head. */
import * as z from 'zod';
import { quoted } from './fields.ts';

export const LORA_TARGET_NAMES = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
  'lm_head',
] as const;

const listed = LORA_TARGET_NAMES.join(', ');

const error = ({ input }: z.core.$ZodRawIssue): string =>
  `${quoted(input)} is no list of LoRA targets; write it as ["q_proj", "v_proj"], of: ${listed}.`;

const target = z.enum(LORA_TARGET_NAMES, {
  error: ({ input }) => `${quoted(input)} is no LoRA target; choose of: ${listed}.`,
});

export const loraTargetsSchema = z
  .array(target, { error })
  .min(1, { error })
  .refine((targets) => new Set(targets).size === targets.length, {
    error: ({ input }) => `${quoted(input)} names a target twice; name each once.`,
  });
