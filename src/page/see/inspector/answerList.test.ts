import { describe, expect, it } from 'vitest';
import { rolloutWith, trainedWith } from '@rl-playground/run/testing/stepContext';
import { FILTERS, firstThatTeaches, groupsOf, listedAnswers, SORTS, type ListChoice } from './answerList.ts';

const reward = { total: 1, parts: {}, correct: true, format: true, reason: '', extracted: '2' };
/** Two to one problem, one to another, which was left out of the update. */
const answers = [
  rolloutWith({ text: 'it is 2', tokens: [1, 2, 3], advantage: -0.5, logprobs: [-1, -2, -3] }),
  rolloutWith({
    text: 'THREE',
    tokens: [1],
    advantage: 0.25,
    logprobs: [-0.5],
    stopReason: 'max_tokens',
    trained: trainedWith({ logprobs: [-0.75] }),
    reward: { ...reward, total: 0, correct: false },
  }),
  rolloutWith({
    group: 1,
    question: 'What is 5 + 5?',
    text: '10',
    tokens: [4, 5],
    advantage: NaN,
    logprobs: [-9, -9],
    trained: null,
    reward: { ...reward, total: 2, format: false },
  }),
];
const ALL: ListChoice = { search: '', filter: 'all', sort: 'sampled' };
const places = (choice: Partial<ListChoice>) =>
  listedAnswers(answers, { ...ALL, ...choice }).map(({ place }) => place);

describe('the list of a step', () => {
  it('has every word of a search in question or text, in any case', () => {
    expect(places({})).toEqual([0, 1, 2]);
    expect(places({ search: 'three' })).toEqual([1]);
    expect(places({ search: '  WHAT 10' })).toEqual([2]);
    expect(places({ search: 'what three' })).toEqual([]);
  });

  it('is filtered by what an answer earned, how it ended and whether it was trained on', () => {
    const found = Object.keys(FILTERS).map((filter) => [filter, places({ filter: filter as 'all' })]);
    expect(Object.fromEntries(found)).toEqual({
      all: [0, 1, 2],
      correct: [0, 2],
      wrong: [1],
      noFormat: [2],
      cut: [1],
      leftOut: [2],
    });
  });

  it('is sorted by what is largest, with what has no number last', () => {
    const found = Object.keys(SORTS).map((sort) => [sort, places({ sort: sort as 'sampled' })]);
    expect(Object.fromEntries(found)).toEqual({
      sampled: [0, 1, 2],
      reward: [2, 0, 1],
      advantage: [0, 1, 2],
      length: [0, 2, 1],
      // Means of log q: −2, −0.5, −9.
      unlikely: [2, 0, 1],
      // |log q − log p|: up to 2, 0.25, none.
      gap: [0, 1, 2],
    });
  });

  it('knows the places of each group', () => {
    expect([...groupsOf(answers)]).toEqual([
      [0, [0, 1]],
      [1, [2]],
    ]);
  });

  it('begins with the first answer that taught something', () => {
    const none = answers.map((answer) => ({ ...answer, advantage: 0 }));
    expect(firstThatTeaches(answers)).toBe(0);
    expect(firstThatTeaches([...none, ...answers])).toBe(3);
    expect(firstThatTeaches(none)).toBe(0);
  });
});
