/** The sandbox's permutation of card numbers, backwards. */
import { createHmac } from 'node:crypto';
import { NUMBERS } from '../../src/processors/card-sequence.ts';

/** The counter of a value: the rounds of the Feistel network in their reverse order, and the walk back. */
export function counterOf(value: number, key: Buffer): number {
  let counter = value;
  do {
    let left = counter >>> 15;
    let right = counter & 0x7fff;
    for (let round = 9; round >= 0; round--) {
      const text = Buffer.of(round, left >>> 8, left & 0xff);
      const mixed = createHmac('sha256', key).update(text).digest().readUInt16BE(0) & 0x7fff;
      [left, right] = [right ^ mixed, left];
    }
    counter = (left << 15) | right;
  } while (counter >= NUMBERS);
  return counter;
}
