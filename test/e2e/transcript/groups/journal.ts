import { publicId } from '../../../../src/values/ids.ts';
import { checkpointIn, newSigningKey } from '../../../support/checkpoints.ts';
import type { GroupOnWire, Page, Stage } from './group.ts';

async function journal({ fund, keys, openAccount, product, wire }: Stage): Promise<void> {
  const { id: account } = await openAccount();
  const signing = newSigningKey();
  const checkpoint = async () =>
    publicId('checkpoint', (await checkpointIn(product.database, keys.testBookId, signing)).id);
  await fund(account);
  const { data } = await wire.call<Page>('Entries', 'GET', '/v1/journal/entries');
  const entry = data[0]!.id;
  await wire.call('One', 'GET', `/v1/journal/entries/${entry}`);
  await wire.call('No proof yet', 'GET', `/v1/journal/entries/${entry}/proof`);
  const older = await checkpoint();
  await fund(account, 7);
  const newer = await checkpoint();
  await wire.call('A proof', 'GET', `/v1/journal/entries/${entry}/proof`);
  await wire.call('Checkpoints', 'GET', '/v1/journal/checkpoints');
  await wire.call('One', 'GET', `/v1/journal/checkpoints/${newer}`);
  await wire.call('From one to the next', 'GET', `/v1/journal/checkpoints/${newer}/consistency?from=${older}`);
  await wire.call('From nowhere', 'GET', `/v1/journal/checkpoints/${newer}/consistency`);
  await wire.call('Of nothing', 'GET', '/v1/journal/entries?resource=nothing');
}

export const journalOnWire: GroupOnWire = {
  scenes: [{ file: 'journal', play: journal }],
  forms: [
    { kind: 'hash', form: /\b[0-9a-f]{64}\b/g, example: (digest) => digest.toString('hex', 0, 32) },
    { kind: 'signed', form: /"[A-Za-z0-9+/]{86}=="/g, example: (digest) => `"${digest.toString('base64')}"` },
    {
      kind: 'base64 of 32 bytes',
      form: /"[A-Za-z0-9+/]{43}="/g,
      example: (digest) => `"${digest.subarray(0, 32).toString('base64')}"`,
    },
  ],
  async objects({ product, keys }) {
    return { checkpoint: publicId('checkpoint', (await checkpointIn(product.database, keys.testBookId)).id) };
  },
};
