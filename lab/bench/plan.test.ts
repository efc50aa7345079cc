import { expect, test } from 'vitest';
import { percentOf, perSecond, tokensAgree, trainingAgrees, valuesAgree } from './plan.ts';

test('values agree within a share of the largest of ours', () => {
  const ours = Float32Array.of(0, -10, 4);
  expect(valuesAgree(0.01)(ours, Float32Array.of(0.05, -10.05, 4))).toBeNull();
  expect(valuesAgree(0.01)(ours, Float32Array.of(0.2, -10, 4))).toMatch(
    /0\.2.* against 0 .*largest value is 10/,
  );
});

test('NaN, a missing value and a result of zeros do not agree', () => {
  const ours = Float32Array.of(1, 2);
  expect(valuesAgree(0.5)(ours, Float32Array.of(NaN, 2))).toMatch(/NaN/);
  expect(valuesAgree(0.5)(ours, Float32Array.of(1))).toMatch(/1 values came back; 2/);
  expect(valuesAgree(0.5)(ours, Float32Array.of(0, 0))).not.toBeNull();
});

test('tokens agree when enough of them are the same', () => {
  const ours = Float32Array.from({ length: 100 }, (_, i) => i);
  const differing = (count: number) => ours.map((token, i) => (i < count ? token + 1 : token));
  expect(tokensAgree(0.95)(ours, differing(5))).toBeNull();
  expect(tokensAgree(0.95)(ours, differing(6))).toMatch(/94\.0%/);
});

test('figures of a sample', () => {
  const sample = { seconds: 4, part: 1 };
  expect(perSecond(20)(sample)).toBe(5);
  expect(percentOf('part')(sample)).toBe(25);
  expect(percentOf('absent')(sample)).toBeNaN();
});

test('an update in TF32 may differ by ten times as much as one in f32', () => {
  const [ours, theirs] = [Float32Array.of(1, 4), Float32Array.of(1, 4.05)];
  expect(trainingAgrees(ours, theirs, 'torch')).toMatch(/differs from ours/);
  expect(trainingAgrees(ours, theirs, 'torch tf32')).toBeNull();
  expect(trainingAgrees(ours, Float32Array.of(1, 4.2), 'torch tf32')).toMatch(/differs from ours/);
});
