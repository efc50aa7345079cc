import { valueOfJson, readPythonList } from '../../python/json.ts';
import { compareStrings } from '@rl-playground/base/pythonText';
import { compareValues, iterate, type PythonValue } from '../../python/value.ts';
import { shuffled, uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { allWords, sortLetters } from './wordLists.ts';
import { MOST_READ } from '../shared/scoring.ts';

type Groups = readonly (readonly string[])[];

function byLetters(words: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const word of words) {
    const letters = sortLetters(word);
    groups.set(letters, [...(groups.get(letters) ?? []), word]);
  }
  return [...groups.values()];
}

let anagrams: Groups | null = null;

/** The groups of words that are anagrams of each other. */
function allAnagrams(): Groups {
  anagrams ??= byLetters(allWords()).filter((group) => group.length > 1);
  return anagrams;
}

/** Words in order within groups, groups in order of their first words. */
function inOrder(groups: Groups): string[][] {
  return groups
    .map((group) => group.toSorted(compareStrings))
    .toSorted((a, b) => compareStrings(a[0] ?? '', b[0] ?? ''));
}

function groupsJson(groups: Groups): string {
  return `[${groups.map((group) => `[${group.map((word) => `"${word}"`).join(', ')}]`).join(', ')}]`;
}

/** Upstream's order of whatever JSON holds. Throws a PythonError where Python raises. */
function sortNested(value: PythonValue): PythonValue[][] {
  const first = ([item]: readonly PythonValue[]) => (item === undefined ? '' : item);
  return iterate(value)
    .map((group) => iterate(group).toSorted(compareValues))
    .toSorted((a, b) => compareValues(first(a), first(b)));
}

function sameGroups(given: readonly (readonly PythonValue[])[], truth: Groups): boolean {
  return (
    given.length === truth.length &&
    truth.every((group, i) => {
      const words = given[i] ?? [];
      return words.length === group.length && group.every((word, j) => words[j] === word);
    })
  );
}

/** 1 for the groups, in any order, and 0.01 for any other JSON that Python can sort. */
function upstreamScore(candidate: string, solution: Groups): number {
  try {
    return sameGroups(sortNested(valueOfJson(candidate)), inOrder(solution)) ? 1 : 0.01;
  } catch {
    return 0;
  }
}

/** Says whether a text is a list of lists with these groups, in Python's or JSON's form. */
function isGrouped(candidate: string, solution: Groups): boolean {
  const groups: string[][] = [];
  for (const group of readPythonList(candidate) ?? []) {
    if (group === null || typeof group !== 'object' || group.kind !== 'list') return false;
    const words = group.items.filter((word) => typeof word === 'string');
    if (words.length !== group.items.length) return false;
    groups.push(words);
  }
  return sameGroups(inOrder(groups), inOrder(solution));
}

export const groupAnagrams = defineGymTask({
  name: 'group_anagrams',
  title: 'Group anagrams',
  summary: 'Put together the words of a list that have the same letters.',
  family: 'words',
  fields: {
    min_anagram_groups: whole('Fewest groups', 'Groups in the shortest lists.', 2, 100, 2),
    max_anagram_groups: whole('Most groups', 'Groups in the longest lists.', 2, 100, 10),
    min_words_per_group: whole('Fewest words in a group', 'As far as a group has so many.', 2, 5, 2),
    max_words_per_group: whole('Most words in a group', 'As far as a group has so many.', 2, 5, 5),
  },
  levels: [
    { max_anagram_groups: 2, max_words_per_group: 2 },
    { max_anagram_groups: 4, max_words_per_group: 3 },
    { max_anagram_groups: 7 },
    {},
    { min_anagram_groups: 10, max_anagram_groups: 30 },
  ],
  metadata: (z) => ({ solution: z.array(z.array(z.string())) }),
  draw(draw, config) {
    const count = uniformInt(draw, config.min_anagram_groups, config.max_anagram_groups);
    const groups = shuffled(draw, allAnagrams())
      .slice(0, count)
      .map((group) => {
        const order = shuffled(draw, group);
        return order.slice(0, uniformInt(draw, config.min_words_per_group, config.max_words_per_group));
      });
    const words = shuffled(draw, groups.flat());
    const solution = inOrder(groups);
    const list = JSON.stringify(words).replaceAll(',', ', ');
    return {
      question: `Words that have exactly the same letters, each as often, are anagrams of each other. Put the words below into groups of anagrams. Answer with a list of lists of strings in any order, like this: [["eat", "tea"], ["tan", "nat"]]\n\nWords: ${list}`,
      key: words.toSorted(compareStrings).join(' '),
      answer: groupsJson(solution),
      data: { words, solution, anagram_groups: count },
    };
  },
  scoreAnswer(candidate, { metadata: { solution } }, mode) {
    if (candidate.length > MOST_READ) return 0;
    return mode === 'upstream' ? upstreamScore(candidate, solution) : isGrouped(candidate, solution) ? 1 : 0;
  },
  /** Each word is written with its letters in order. */
  steps: ({ data: { solution } }) =>
    solution
      .flat()
      .map((word) => `${word}: ${sortLetters(word)}`)
      .join('\n'),
});
