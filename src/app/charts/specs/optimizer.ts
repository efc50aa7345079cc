/** Charts of the updates themselves. */
import { curvesOf, PLAIN, type ChartGroup } from './spec.ts';

export const OPTIMIZER_CHARTS: ChartGroup = {
  charts: [
    {
      id: 'grad-norm',
      title: 'Gradient norm',
      unit: 'before clipping',
      reading: 'The size of the push of an update.',
      ...curvesOf({ gradNorm: 'last update', gradNormMax: 'largest of the step' }),
      ...PLAIN,
    },
    {
      id: 'learning-rate',
      title: 'Learning rate',
      unit: 'AdamW step size',
      reading: 'What the schedule made of the setting.',
      ...curvesOf({ learningRate: 'learning rate' }),
      ...PLAIN,
    },
    {
      id: 'loss',
      title: 'Loss',
      unit: 'policy loss plus penalties',
      reading: 'Near zero is normal here: advantages cancel out. Judge by reward.',
      ...curvesOf({ loss: 'loss' }),
      ...PLAIN,
      range: [null, null],
    },
    {
      id: 'updates',
      title: 'Updates per step',
      unit: 'updates',
      reading: 'Made, and left out by the stop at a KL.',
      ...curvesOf({ updates: 'made', updatesSkipped: 'left out' }),
      ...PLAIN,
    },
  ],
};
