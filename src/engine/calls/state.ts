/** The result of `saveState`, and its check before an engine gives up what it has. */
import { grouped } from '@rl-playground/base/text';
import type { LanguageModel } from '../model/languageModel.ts';
import type { LoraSettings } from '../model/lora.ts';
import type { WeightArrays } from '../model/weights.ts';
import type { Optimizer, OptimizerState } from '../update/optimizer.ts';
import { described } from '@rl-playground/base/described';

export interface EngineState {
  /** The packed weights, or under LoRA its factors. */
  readonly trained: Float32Array;
  readonly optimizer: OptimizerState;
  readonly version: number;
  /** The settings of LoRA's factors; null if all weights are trained. */
  readonly adapter: LoraSettings | null;
  /** The packed weight and bias of a value head, if there is one. */
  readonly valueHead?: Float32Array;
}

type StatedPolicy = Pick<LanguageModel, 'trainable' | 'adapter' | 'valueHead'>;

export async function stateOf(
  { policy, optimizer }: { readonly policy: LanguageModel; readonly optimizer: Optimizer },
  version: number,
): Promise<EngineState> {
  const trained = await policy.trainable.pack();
  const valueHead = await policy.valueHead?.pack();
  return {
    trained,
    optimizer: await optimizer.state(),
    version,
    adapter: policy.adapter?.settings ?? null,
    ...(valueHead && { valueHead }),
  };
}

const REMEDY = 'Load what saveState gave, into an engine of the same model and settings.';

const count = (values: Float32Array): string => grouped(values.length);

function loraText(lora: LoraSettings | null): string {
  if (lora === null) return 'no LoRA';
  const scaled = lora.rankStabilized === true ? ' over √r' : '';
  return `LoRA of rank ${lora.rank}, α ${lora.alpha}${scaled} on ${lora.targets.join(', ')}`;
}

/**
 * @throws Error if `state` is of another model or adapter than `policy`, if a part of it is missing or has another size, or if it holds a
 * number that is not finite.
 */
export function checkState(state: EngineState, policy: StatedPolicy): void {
  if (typeof state !== 'object' || state === null)
    throw new Error(`The state is ${described(state)}. ${REMEDY}`);
  const { trained, optimizer, version, adapter } = state;
  const own = loraText(policy.adapter?.settings ?? null);
  if (adapter === undefined || loraText(adapter) !== own)
    throw new Error(
      `The state is of ${adapter === undefined ? 'no engine' : loraText(adapter)}; this engine has ${own}. ${REMEDY}`,
    );
  const wanted = policy.trainable.tensor.size;
  checkArray(trained, wanted, 'trained');
  if (!(Number.isSafeInteger(version) && version >= 0))
    throw new Error(
      `The state's version is ${described(version)}; a whole number from 0 up is needed. ${REMEDY}`,
    );
  const step: unknown = optimizer?.step;
  if (
    !(typeof step === 'number' && Number.isSafeInteger(step) && step >= 0 && optimizer.moments instanceof Map)
  )
    throw new Error(`The state has no optimizer with a step and moments. ${REMEDY}`);
  const moments: EngineState['optimizer']['moments'] = optimizer.moments;
  const checkMoments = (arrays: WeightArrays): void => {
    for (const [name, { data }] of arrays) {
      const both = moments.get(name);
      checkArray(both?.m, data.length, `moment m of ${name}`);
      checkArray(both?.v, data.length, `moment v of ${name}`);
    }
  };
  checkMoments(policy.trainable.unpackNamed(trained));
  const head = policy.valueHead;
  if (head === null) return;
  checkArray(state.valueHead, head.tensor.size, 'value head');
  checkMoments(head.unpackNamed(state.valueHead));
}

function checkArray(values: unknown, wanted: number, what: string): asserts values is Float32Array {
  if (!(values instanceof Float32Array) || values.length !== wanted)
    throw new Error(
      `The state's ${what} is ${values instanceof Float32Array ? `${count(values)} numbers` : described(values)}; a Float32Array of ${grouped(wanted)} is needed. ${REMEDY}`,
    );
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at >= 0)
    throw new Error(`The state's ${what} is ${values[at]} at ${at}; finite numbers are needed. ${REMEDY}`);
}
