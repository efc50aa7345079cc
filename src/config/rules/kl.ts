/** Rules on the distance to a reference policy. */
import type { Rule } from './rule.ts';
import { updatesPerBatch } from '../stepSizes.ts';

export const KL_RULES: readonly Rule[] = [
  {
    field: 'klReference',
    broken: ({ klReference, loraRank }) =>
      klReference === 'base' && loraRank === 0
        ? '"base" is the model under its LoRA factors, but loraRank is 0, so there are none; choose "start", or a loraRank of at least 1.'
        : null,
  },
  {
    field: 'klPenaltyCoef',
    broken: ({ klPenaltyCoef, temperature, topP, topK }) => {
      if (klPenaltyCoef === 0 || (temperature === 1 && topP === 1 && topK === 0)) return null;
      return `${klPenaltyCoef} compares the sampler's probabilities with the reference's at temperature 1, but answers are sampled with temperature ${temperature}, topP ${topP} and topK ${topK}; set temperature to 1, topP to 1 and topK to 0, or choose 0 (klBeta has no such limit).`;
    },
  },
  {
    field: 'targetKl',
    broken: (config) =>
      config.targetKl > 0 && config.schedule !== 'stream' && updatesPerBatch(config) === 1
        ? `${config.targetKl} leaves out later updates of a batch, but there is only one; choose 0, or more updates by numSubsteps, miniBatchSize or ppoEpochs.`
        : null,
  },
];
