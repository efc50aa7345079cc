/** What a person asks of generators: defaults for what is left out, and checks of the rest. */
import type { GroupRequest, SamplingSettings } from './types.ts';

/** By default the plain distribution: temperature 1, no nucleus, no top-k. */
export type WantedSampling = Pick<SamplingSettings, 'maxTokens'> & Partial<SamplingSettings>;

/** Throws on a setting that can't be followed. */
export function wholeSampling(wanted: WantedSampling, stop: readonly string[]): SamplingSettings {
  const whole = { temperature: 1, topP: 1, topK: 0, stop, ...wanted };
  const { temperature, topP, topK, maxTokens } = whole;
  const needs: readonly (readonly [name: string, value: number, right: boolean, need: string])[] = [
    ['maxTokens', maxTokens, Number.isInteger(maxTokens) && maxTokens >= 1, 'a whole number from 1 up'],
    [
      'temperature',
      temperature,
      temperature >= 0 && Number.isFinite(temperature),
      'a number from 0 up; 0 is greedy',
    ],
    ['topP', topP, topP > 0 && topP <= 1, 'above 0 and at most 1; 1 keeps everything'],
    ['topK', topK, Number.isInteger(topK) && topK >= 0, 'a whole number; 0 keeps everything'],
  ];
  for (const [name, value, right, need] of needs)
    if (!right) throw new Error(`${name} is ${value}; it must be ${need}.`);
  return whole;
}

/** Throws on a request whose draws would have no name, or that asks for nothing. */
export function checkRequests(requests: readonly GroupRequest[]): void {
  requests.forEach((request, index) => {
    const { samples } = request;
    if (!(Number.isInteger(samples) && samples >= 1))
      throw new Error(`Request ${index} asks for ${samples} samples; at least 1 is needed.`);
    for (const name of ['seed', 'step', 'problem'] as const)
      if (!(Number.isSafeInteger(request[name]) && request[name] >= 0))
        throw new Error(
          `Request ${index}: ${name} is ${request[name]}; it names the random draws and must be a whole number from 0 up.`,
        );
  });
}
