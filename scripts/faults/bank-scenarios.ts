/**
 * Files for a bank: the worker that makes and reads them dies at each point of a file. The bank keeps records of its own, in folders that
 * outlive every process: each payout is in one file, and is paid once. On a stage of their own, whose processes have a RAILS_FILE.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAILPOINTS, type Failpoint } from '../../src/process/failpoints.ts';
import { ReferenceBank } from '../bank/reference-bank.ts';
import { type Account, type Payout, succeeded } from '../harness/client.ts';
import { makeRowsDue } from '../harness/database-store.ts';
import { certainAnswer } from './certain-answer.ts';
import { expectThat, type Play, type Scenario, untilThat } from './scenario.ts';
import { ALL_POOLS, type Stage } from './stage.ts';

const CURRENCY = 'EUR';
const IBAN = 'DE89370400440532013000';
const PAYOUTS = 6;
const FUNDS = 10_000_000;

const POINTS: readonly Failpoint[] = FAILPOINTS.filter((point) => point.startsWith('bank.'));

export const bankScenarios: readonly Scenario[] = POINTS.map((point) => ({
  name: `kill-rails-at-${point}`,
  about: `kill -9 of a worker of the rails pool at ${point}: each payout is in one file, and the bank pays it once`,
  diesAt: point,
  play: (play) => killAtFile(play, point),
}));

interface OpenedBank {
  readonly bank: ReferenceBank;
  readonly account: Account;
}

const banks = new WeakMap<Stage, Promise<OpenedBank>>();

async function killAtFile({ stage }: Play, point: Failpoint): Promise<void> {
  const opened = banks.get(stage) ?? openBank(stage);
  banks.set(stage, opened);
  const { bank, account } = await opened;
  const [victim, other] = stage.workers;
  await Promise.all([victim.kill(), other.kill()]);
  await victim.start({ failpoints: `${point}=kill`, pools: ALL_POOLS });
  const payouts = await Promise.all(Array.from({ length: PAYOUTS }, () => pay(stage, account)));
  const worked = async () => {
    await bank.work();
    await makeRowsDue(stage.behind);
  };
  await untilThat('the point at which the process was to die', async () => {
    await worked();
    return !victim.running;
  });
  expectThat(victim.output.includes(`failpoint ${point}: SIGKILL`), `It died elsewhere:\n${victim.output}`);
  await Promise.all([victim.start({ pools: ALL_POOLS }), other.start()]);
  for (const { id } of payouts)
    await untilThat(`the payment of ${id}`, async () => {
      await worked();
      return (await stage.clients[1]!.payout(id)).status === 'paid';
    });
  const orders = [...bank.records.files.values()].flatMap(({ order, rejected }) =>
    (order?.payments ?? []).map(({ endToEndId, rejected: one }) => ({ endToEndId, rejected: rejected ?? one })),
  );
  for (const { id, end_to_end_id: endToEndId } of payouts) {
    const known = orders.filter((one) => one.endToEndId === endToEndId);
    expectThat(known.length === 1 && known[0]!.rejected === null, `The bank knows ${id} as ${JSON.stringify(known)}`);
  }
}

/** Restarts every process of the stage with a rail for euros. */
async function openBank(stage: Stage): Promise<OpenedBank> {
  const root = mkdtempSync(join(tmpdir(), 'countinghouse-bank-'));
  stage.keepFolder(root);
  const at = (name: string) => join(root, name);
  const places = { outbox: at('outbox'), inbox: at('inbox'), work: at('work'), records: at('records') };
  for (const folder of Object.values(places)) mkdirSync(folder);
  const settings = at('rails.json');
  writeFileSync(settings, JSON.stringify(railsFile(places)));
  const environment = { RAILS_FILE: settings };
  for (const process of [...stage.apis, ...stage.workers]) {
    await process.kill();
    await process.start({ environment });
  }
  const account = await stage.clients[0]!.openAccount({ currency: CURRENCY, funds: FUNDS });
  return { bank: new ReferenceBank(places), account };
}

async function pay(stage: Stage, { id: account }: Account): Promise<Payout> {
  const body = {
    ...{ account, amount: 1_000, currency: CURRENCY },
    destination: { type: 'iban', iban: IBAN, name: 'Jana Mueller' },
  };
  const payout = succeeded(await certainAnswer(stage.clients, { path: '/v1/payouts', key: randomUUID(), body }));
  stage.accepted.add(payout.id);
  return payout;
}

/** A file is made of what waits, in the next round. */
function railsFile({ outbox, inbox, work }: Readonly<Record<'outbox' | 'inbox' | 'work', string>>): object {
  const debtor = { name: 'Faults', iban: 'AT611904300234573201', bic: 'BKAUATWW' };
  const limits = { payments_per_file: PAYOUTS, file_after_seconds: 0, inbox_rests_seconds: 0 };
  return {
    rails: [
      {
        ...{ name: 'faults_bank', mode: 'test', currencies: [{ currency: CURRENCY }] },
        ...{ time_zone: 'UTC', calendar: { name: 'sat_sun' } },
        adapter: { type: 'iso20022', profile: 'iso', debtor, folders: { outbox, inbox, work }, ...limits },
      },
    ],
    routes: [{ destination: 'iban', currencies: [CURRENCY], rail: 'faults_bank' }],
  };
}
