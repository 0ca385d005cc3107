/** Notes on payouts. */
import { succeeded } from '../../../../scripts/harness/client.ts';
import { writeNote } from '../../../../src/payouts/notes/write-note.ts';
import { newId } from '../../../../src/values/ids.ts';
import type { GroupOnWire, Stage } from './group.ts';

async function notes({ openAccount, fund, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  await fund(account);
  const { id: payout } = await wire.call('A payout', 'POST', '/v1/payouts', {
    body: { account, amount: 25_000, currency: 'JOD', destination: { type: 'cliq', alias: 'SALMA77' } },
  });
  const path = `/v1/payouts/${payout}/notes`;
  const { id: note } = await wire.call('A note on it', 'POST', path, {
    body: { text: 'The payee confirmed by phone.' },
  });
  await wire.call('Its notes', 'GET', path);
  await wire.call('One of them', 'GET', `${path}/${note}`);
  await wire.call('Withdrawn', 'POST', `${path}/${note}/withdraw`);
  await wire.call('Withdrawn again', 'POST', `${path}/${note}/withdraw`);
  await wire.call('What became of it', 'GET', `${path}/${note}/timeline`);
}

export const payoutNotesOnWire: GroupOnWire = {
  scenes: [{ file: 'payout-notes', play: notes, examplesOnly: true }],
  async objects({ client, made: { payout } }) {
    const note = succeeded(await client.post<{ id: string }>(`/v1/payouts/${payout}/notes`, { text: 'By phone' }));
    return { payoutNote: note.id };
  },
  async rows(book) {
    const payout = await book.accept({ accountId: await book.account({ amount: 10_000n }) });
    await book.submit(writeNote({ payoutId: payout.id, text: 'By phone', requestId: newId(), actor: 'test' }));
  },
};
