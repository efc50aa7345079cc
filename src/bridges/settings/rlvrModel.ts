/**
 * The reasons why the keys of a model's section in simplexity's RLVR configurations have no meaning here: the model here is made as that
 * system ships it.
 */
import { quoted } from '@rl-playground/base/valueSchemas';
import { isTree, type Tree } from '@rl-playground/run/settings/files';
import { ignoreLeaves, NOT_KNOWN, type Account } from './reader.ts';
import { CUSTOM_VOCABULARY } from './rlvrSections.ts';

export const MODEL_SECTION = 'predictive_model';

/** The values of `pytorch_transformer.yaml`, which rlvr-scratch has. */
const SHIPPED: Tree = { d_model: 128, num_layers: 1, num_heads: 4, d_mlp: 512, act_type: 'ReLU' };

const REASONS: Readonly<Record<string, string>> = {
  n_ctx: 'rlvr-scratch has 256 rotary positions, so that prompt and answer have room',
  use_ln: 'rlvr-scratch has RMSNorm in any case, because transformers has no model without norms',
  vocab_size: CUSTOM_VOCABULARY,
  name: 'it is a name alone',
  _target_: 'it names a Python function',
  load_checkpoint_step: 'a run goes on from a checkpoint that is loaded on the page',
};

function reasonOf(key: string, value: unknown): string {
  if (Object.hasOwn(REASONS, key)) return REASONS[key] ?? NOT_KNOWN;
  if (!Object.hasOwn(SHIPPED, key)) return NOT_KNOWN;
  return value === SHIPPED[key]
    ? 'rlvr-scratch has it'
    : `rlvr-scratch has ${quoted(SHIPPED[key])}, as simplexity ships it, and no other sizes`;
}

/** Reports every key of the section, each with its own reason. */
export function ignoreModel(section: unknown, account: Account): void {
  if (!isTree(section)) {
    account.ignore(MODEL_SECTION, section, 'the model rlvr-scratch has the sizes that simplexity ships');
    return;
  }
  for (const [key, value] of Object.entries(section)) {
    if (key === 'instance' && isTree(value))
      for (const [inner, each] of Object.entries(value))
        ignoreLeaves(account, `${MODEL_SECTION}.instance.${inner}`, each, reasonOf(inner, each));
    else ignoreLeaves(account, `${MODEL_SECTION}.${key}`, value, reasonOf(key, value));
  }
}
