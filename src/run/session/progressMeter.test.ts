import { expect, it } from 'vitest';
import type { LoopActivity } from '../loop/learn.ts';
import { ProgressMeter } from './progressMeter.ts';

/** A meter with a clock that stops until it is moved. */
function metered() {
  let now = 1000;
  const meter = new ProgressMeter(() => now);
  meter.begin();
  const report = (activity: LoopActivity, done: number, tokens: number) =>
    meter.progress({ activity, done, total: 8, tokens }, null, 1).tokensPerSecond;
  return { meter, report, wait: (milliseconds: number) => void (now += milliseconds) };
}

it('says nothing of a burst in no time, and then what it comes to', () => {
  const { report, wait } = metered();
  expect(report('sampling', 1, 1_000_000)).toBeNull();
  wait(249);
  expect(report('sampling', 1, 1_000_000)).toBeNull();
  wait(751);
  expect(report('sampling', 2, 1_000_500)).toBe(1_000_500);
});

it('is a mean over activities, those in which no token is made too', () => {
  const { report, wait } = metered();
  wait(1000);
  expect(report('sampling', 8, 400)).toBe(400);
  expect(report('training', 0, 0)).toBe(400);
  wait(1000);
  expect(report('training', 8, 400)).toBe(400);
  wait(2000);
  expect(report('handing weights over', 0, 0)).toBe(200);
  // The next step begins from 0 again, with more at once than the last one had in all.
  wait(1000);
  expect(report('sampling', 1, 500)).toBe(260);
});

it('forgets what is more than five seconds old', () => {
  const { report, wait } = metered();
  const rates = Array.from({ length: 20 }, (_, second) => {
    wait(1000);
    const tokens = second < 10 ? 100 * (second + 1) : 1000 + 10 * (second - 9);
    return report('evaluating', 0, tokens);
  });
  expect(rates.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 100));
  expect(rates.slice(10, 14)).toEqual([82, 64, 46, 28]);
  expect(rates.slice(14)).toEqual(Array.from({ length: 6 }, () => 10));
});

it('counts each of two activities that go on at once', () => {
  const { report, wait } = metered();
  wait(500);
  report('sampling', 1, 100);
  report('training', 1, 50);
  wait(500);
  report('sampling', 2, 200);
  expect(report('training', 2, 100)).toBe(300);
});

it('says when an evaluation ends that no step has been timed before, once a tenth of it is done', () => {
  const { meter, wait } = metered();
  const left = (done: number, activity: LoopActivity = 'evaluating', perStep: number | null = null) =>
    meter.progress({ activity, done, total: 100, tokens: done }, perStep, 3).secondsLeft;
  expect(left(0)).toBeNull();
  wait(500);
  expect(left(9)).toBeNull();
  wait(500);
  expect(left(20)).toBe(4);
  wait(3000);
  expect(left(80)).toBe(1);
  expect(left(50, 'sampling')).toBeNull();
  expect(left(50, 'sampling', 2)).toBe(6);
});

it('leaves out a rest', () => {
  const { meter, report, wait } = metered();
  wait(1000);
  expect(report('sampling', 1, 100)).toBe(100);
  wait(60_000);
  meter.begin();
  expect(report('sampling', 1, 30)).toBeNull();
  wait(1000);
  expect(report('sampling', 2, 100)).toBe(100);
});
