import { describe, expect, test } from 'vitest';
import { parseTrainArguments } from './trainArguments.ts';

function accepted(...words: string[]) {
  const result = parseTrainArguments(words);
  if ('exitCode' in result) throw new Error(result.text);
  return result;
}

function refused(...words: string[]) {
  const result = parseTrainArguments(words);
  if (!('exitCode' in result)) throw new Error('It was accepted.');
  return result;
}

test('defaults: sum_digits, 20 steps, 2 generators, 20 evaluation samples, seed 0', () => {
  const { config, ...rest } = accepted();
  expect(config).toMatchObject({
    task: 'sum_digits',
    preset: 'default',
    numSteps: 20,
    numGenerators: 2,
    evalSamples: 20,
    seed: 0,
  });
  expect(rest).toEqual({ backend: null, verbose: false, json: null, out: null, notes: [] });
});

test('every option reaches its place', () => {
  const words =
    '--task reverse_digits --num-steps 7 --num-generators 4 --eval-samples 33 --verbose --model tiny --backend wasm ' +
    '--seed 5 --json r.json --out runs/a --preset monarch-digits --set learningRate=0.001 --set evalEvery=3';
  const { config, ...rest } = accepted(...words.split(' '));
  expect(config).toMatchObject({
    task: 'reverse_digits',
    preset: 'monarch-digits',
    loss: 'reinforce',
    numSteps: 7,
    numGenerators: 4,
    evalSamples: 33,
    model: 'tiny',
    seed: 5,
    learningRate: 0.001,
    evalEvery: 3,
  });
  expect(rest).toEqual({ backend: 'wasm', verbose: true, json: 'r.json', out: 'runs/a' });
});

test('a preset made for one task brings it along, unless another one is named', () => {
  expect(accepted('--preset', 'rlvr-test').config).toMatchObject({
    task: 'rpn_arithmetic',
    preset: 'rlvr-test',
    model: 'rpn-scratch',
    problemsPerStep: 4,
  });
  expect(accepted('--preset', 'rlvr-test', '--task', 'sum_digits').config).toMatchObject({
    task: 'sum_digits',
    model: 'starter',
  });
});

describe('bad input is refused with exit code 2, naming the option and what was found', () => {
  test.each([
    [
      ['--task', 'chess'],
      ['--task', 'chess', 'sum_digits', 'reverse_digits'],
    ],
    [
      ['--preset', 'best'],
      ['--preset', 'best', 'monarch-digits'],
    ],
    [
      ['--backend', 'cuda'],
      ['--backend', 'cuda', 'webgpu', 'wasm'],
    ],
    [
      ['--num-generators', '0'],
      ['--num-generators', '0'],
    ],
    [
      ['--num-generators', '1000000'],
      ['--num-generators', '1000000', '64'],
    ],
    [
      ['--num-steps', 'many'],
      ['--num-steps', 'many'],
    ],
    [
      ['--num-steps', '1.5'],
      ['--num-steps', '1.5'],
    ],
    [['--num-steps', ''], ['--num-steps']],
    [
      ['--eval-samples', '-3'],
      ['--eval-samples', '-3'],
    ],
    [
      ['--seed', 'NaN'],
      ['--seed', 'NaN'],
    ],
    [
      ['--set', 'temperature'],
      ['temperature', 'setting=value'],
    ],
    [
      ['--set', 'temprature=1'],
      ['temprature', 'temperature'],
    ],
    [
      ['--set', 'temperature=hot'],
      ['temperature', 'hot'],
    ],
    [['--steps', '3'], ['--steps']],
    [['--json'], ['--json']],
    [['extra'], ['argument']],
  ])('%j', (words, fragments) => {
    const { text, exitCode } = refused(...words);
    expect(exitCode).toBe(2);
    for (const fragment of fragments) expect(text).toContain(fragment);
  });
});

test('--help lists every option and setting and exits with 0', () => {
  const { text, exitCode } = refused('--help');
  expect(exitCode).toBe(0);
  for (const word of ['--task', '--num-steps', '--num-generators', '--eval-samples', '--verbose', '--model'])
    expect(text).toContain(word);
  for (const word of ['--backend', '--seed', '--json', '--out', '--preset', 'learningRate', 'klBeta'])
    expect(text).toContain(word);
});
