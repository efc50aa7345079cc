import { uniformInt } from '@rl-playground/base/random';
import { defineGymTask, whole } from '../shared/define.ts';
import { drawSentence, drawSentenceLength } from './runningText.ts';

/** Capitals `rotation` places on, Z followed by A. */
const rotate = (text: string, rotation: number): string =>
  text.replace(/[A-Z]/g, (letter) => String.fromCharCode(65 + ((letter.charCodeAt(0) - 65 + rotation) % 26)));

export const caesarCipher = defineGymTask({
  name: 'caesar_cipher',
  title: 'Caesar cipher',
  summary: 'Read a sentence whose letters were all moved along the alphabet by the same number of places.',
  family: 'words',
  fields: {
    min_words: whole('Fewest words', 'Words of the shortest sentences.', 3, 40, 3),
    max_words: whole('Most words', 'Words of the longest sentences.', 3, 40, 20),
    min_rotation: whole('Least shift', 'Fewest places that letters are moved by.', 1, 25, 1),
    max_rotation: whole('Largest shift', 'Most places that letters are moved by.', 1, 25, 25),
  },
  levels: [
    { max_words: 3, min_rotation: 1, max_rotation: 1 },
    { max_words: 4, max_rotation: 3 },
    { max_words: 8, max_rotation: 10 },
    {},
    { min_words: 15, max_words: 40 },
  ],
  draw(draw, { min_words, max_words, min_rotation, max_rotation }) {
    const sentence = drawSentence(draw, drawSentenceLength(draw, min_words, max_words), false);
    const clear_text = sentence.replace(/[^A-Za-z ]/g, '').toUpperCase();
    const rotation = uniformInt(draw, min_rotation, max_rotation);
    const cipher_text = rotate(clear_text, rotation);
    return {
      question: `This text was encrypted with a Caesar cipher: ${cipher_text}\nDecrypt it. Answer with the decrypted text only, in capitals.`,
      compact: `caesar_cipher ${cipher_text}`,
      key: clear_text,
      answer: clear_text,
      data: { rotation, cipher_text, clear_text },
    };
  },
});
