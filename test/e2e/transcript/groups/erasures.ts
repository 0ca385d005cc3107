import { expect } from 'vitest';
import { eraseDirectly } from '../../../support/erase.ts';
import type { GroupOnWire, Stage } from './group.ts';

/** Personal text. The operator erases it, and the event alone is on the wire. */
async function erased({ openAccount, product }: Stage): Promise<void> {
  const { id } = await openAccount();
  expect(await eraseDirectly(product, id)).toEqual([]);
}

export const erasuresOnWire: GroupOnWire = { scenes: [{ file: 'erasure', play: erased, examplesOnly: true }] };
