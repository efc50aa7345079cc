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

const error = ({ input }: z.core.$ZodRawIssue): string =>
  `${quoted(input)} is no list of LoRA targets; write it as ["q_proj", "v_proj"], of: ${LORA_TARGET_NAMES.join(', ')}.`;

export const loraTargetsSchema = z.array(z.enum(LORA_TARGET_NAMES, { error }), { error }).min(1, { error });
