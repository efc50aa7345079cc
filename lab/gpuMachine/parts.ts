/** All parts of `npm run lab -- gpu`, the most wanted first. */
import { adapterPart } from './adapterPart.ts';
import { besidePart, rowsPart, suiteParts } from './benchParts.ts';
import type { Part } from './budget.ts';
import { kernelsPart } from './kernelsPart.ts';
import { grpoPart } from './grpoPart.ts';
import { loadPart, sizeParts } from './modelParts.ts';
import { runPart, samplerPart } from './runParts.ts';
import type { Setup } from './setup.ts';

export const allParts = (setup: Setup): Part[] => [
  adapterPart(setup),
  kernelsPart(setup),
  samplerPart(setup),
  runPart(setup),
  ...suiteParts(setup),
  loadPart(setup),
  rowsPart(setup),
  ...sizeParts(setup),
  grpoPart(setup),
  besidePart(setup),
];
