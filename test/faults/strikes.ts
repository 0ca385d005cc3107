/**
 * For each failpoint the one request that passes it, in the order in which a run strikes them. The compiler asks for a line when a failpoint is
 * added.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFees } from '../../scripts/faults/mirror-records-store.ts';
import { answerChallenge, endChallenge } from '../../scripts/faults/payment-records-store.ts';
import { until } from '../../scripts/harness/client.ts';
import { hurryDeliveries } from '../../scripts/harness/database-store.ts';
import { FAULT_PATIENCE_MS } from '../../scripts/harness/until.ts';
import type { Failpoint } from '../../src/process/failpoints.ts';
import { parsePublicId } from '../../src/values/ids.ts';
import { makeRowsDue } from '../support/product.ts';
import { OPERATORS_IBAN, type Scene } from './scene.ts';

export interface Strike {
  /** Whom it kills. A command is run once with the failpoint and once without. */
  readonly kills: 'worker' | 'api' | 'command';
  /** What stands when the process starts. Only the API is there. */
  readonly before?: (scene: Scene) => Promise<unknown>;
  /** Resolves once it is answered. */
  readonly send: (scene: Scene) => Promise<unknown>;
  /** What is done again and again until the process has died: parties outside act, time passes. */
  readonly meanwhile?: (scene: Scene) => Promise<unknown>;
}

const alias = (name: string) => ({ type: 'cliq', alias: name });
const pay = (name: string): Strike => ({ kills: 'worker', send: ({ main, pay }) => pay(main, alias(name)) });
const payCard = (number: string): Strike => ({ kills: 'worker', send: ({ payment }) => payment(number) });
const orderCard: Strike = { kills: 'worker', send: ({ orderCard }) => orderCard() };
/** The processor makes the card, and its answer never comes. */
const orderUnanswered: Strike = { kills: 'worker', send: ({ orderCard }) => orderCard('TIMEOUT') };
const payByFile: Strike = {
  kills: 'worker',
  send: ({ payByFile }) => payByFile(),
  meanwhile: ({ bank }) => bank.work(),
};
const batch: Strike = { kills: 'worker', send: ({ batch }) => batch() };
const upload: Strike = { kills: 'worker', send: ({ uploadStatement }) => uploadStatement() };
const report: Strike = { kills: 'worker', send: ({ report }) => report() };
const buy: Strike = { kills: 'api', send: ({ buy }) => buy() };

const [APPROVED, UNANSWERED, CHALLENGED] = ['4242424242424242', '4000000000000705', '4000002500003155'];

/** The payer is asked, and then acts, or does not. */
const challenged = (act: (scene: Scene, of: { id: string; challenge: string }) => Promise<unknown>): Strike => ({
  kills: 'worker',
  async send(scene) {
    const { id } = await scene.payment(CHALLENGED!);
    const { next_action: action } = await until(
      () => scene.main.client.read<{ next_action: { url: string } | null }>(`/v1/payments/${id}`),
      ({ next_action }) => next_action !== null,
      { timeoutMs: FAULT_PATIENCE_MS },
    );
    await act(scene, { id, challenge: action!.url.split('/').at(-1)! });
  },
});
const left = challenged(({ stage }, { id }) => endChallenge(stage.behind, parsePublicId('payment', id)!));
const passed = challenged(({ stage }, { challenge }) => answerChallenge(stage.behind, challenge, true));

/** It falls behind, and its receiver answers again. */
const drain = (tenant: number): Strike => ({
  kills: 'worker',
  async send({ tenants, fallBehind }) {
    const recover = await fallBehind(tenants[tenant]!);
    recover();
  },
  meanwhile: ({ stage }) => hurryDeliveries(stage.behind),
});

/** What waits is due as the sweeper starts. */
const sweep: Strike = {
  kills: 'worker',
  before: ({ main, pay }) => pay(main, alias('TIMEOUT')),
  send: ({ stage }) => makeRowsDue(stage.behind),
};

/** A day of the book ends, whose fees are to be collected. */
const endDay = (tenant: number): Strike => ({
  kills: 'worker',
  async send({ stage, tenants, ask }) {
    const { bookId, client } = tenants[tenant]!;
    await until(
      () => readFees(stage.behind, bookId),
      ({ days }) => days > 0,
      { timeoutMs: FAULT_PATIENCE_MS },
    );
    await ask(client, '/v1/simulations/clock/advance', { by: 'P1D' });
  },
});

/** What is booked there is the same whichever queue gave the job: the gate strikes them with jobs on Postgres, the long lane with both. */
const OF_ONE_BACKEND = /^(fee|mirror|bank|reconciliation|totals|report|period|endpoint)\.|^payout_batch\.page\./;

export function isOfOneBackend(point: Failpoint): boolean {
  return OF_ONE_BACKEND.test(point);
}

export const STRIKES: Readonly<Record<Failpoint, Strike>> = {
  'ledger.commit.before': pay('SHOP1'),
  'ledger.commit.after': pay('SHOP2'),
  'notice.copy.after': pay('RETURN'),
  'jobs.enqueue.before': pay('SHOP3'),
  'jobs.enqueue.after': pay('SHOP4'),
  'rail.submit.before': pay('SHOP5'),
  'rail.submit.after': pay('SHOP1'),
  'notice.book.after': passed,
  'rail.inquire.before': pay('TIMEOUT'),
  'rail.inquire.after': pay('TIMEOUT'),
  'acquirer.submit.before': payCard(APPROVED!),
  'acquirer.submit.after': payCard(APPROVED!),
  'acquirer.inquire.before': payCard(UNANSWERED!),
  'acquirer.inquire.after': payCard(UNANSWERED!),
  'acquirer.cancel.before': left,
  'acquirer.cancel.after': left,
  'rail.acknowledge.before': pay('RETURN'),
  'processor.submit.before': orderCard,
  'processor.submit.after': orderCard,
  'processor.inquire.before': orderUnanswered,
  'processor.inquire.after': orderUnanswered,
  // All books have a payout that waits, and one job has them all.
  'ledger.shared.before': {
    kills: 'worker',
    before: ({ tenants, pay }) => Promise.all(tenants.map((tenant) => pay(tenant))),
    send: ({ tenants, pay }) => Promise.all(tenants.map((tenant) => pay(tenant))),
    meanwhile: ({ tenants, pay }) => Promise.all(tenants.map((tenant) => pay(tenant))),
  },
  'webhook.post.before': pay('SHOP1'),
  'webhook.post.after': pay('SHOP1'),
  'delivery.record.before': pay('SHOP1'),
  'delivery.record.after': pay('SHOP1'),
  'rail.acknowledge.after': passed,
  'backlog.catch-up.before': drain(2),
  'backlog.catch-up.after': drain(3),
  // The sweeper looks as it starts, and then once a minute. From here on books are mirrored.
  'fee.days.begun': {
    kills: 'worker',
    before: ({ operator, ask }) =>
      ask(operator, '/v1/transactions/bank_accounts', {
        ...{ name: 'Current account', currency: 'JOD', holds: 'customer_money' },
        ...{ identifiers: [OPERATORS_IBAN], opening: { on: '2026-01-01', amount: 0 } },
      }),
    send: ({ main, pay }) => pay(main),
  },
  'mirror.lines.read': pay('SHOP1'),
  'mirror.lines.booked': { kills: 'worker', send: ({ tenants, pay }) => pay(tenants[3]!) },
  'bank.file.made': payByFile,
  'bank.file.synced': payByFile,
  'bank.file.staged': payByFile,
  'bank.file.linked': payByFile,
  'bank.file.renamed': payByFile,
  'bank.inbox.taken': payByFile,
  'payout_batch.items.read': batch,
  'payout_batch.payouts.made': batch,
  'sweeper.postpone.before': sweep,
  'sweeper.postpone.after': sweep,
  'sweeper.enqueue.after': sweep,
  'fee.collect.before': endDay(0),
  'fee.collect.after': endDay(1),
  'reconciliation.checked': upload,
  'reconciliation.statement.taken': upload,
  'reconciliation.matched': upload,
  // A block of entries waits as the fold starts.
  'totals.block.before': { kills: 'worker', before: ({ fill }) => fill(), send: () => Promise.resolve() },
  'totals.block.after': { kills: 'worker', send: () => Promise.resolve() },
  'report.page.kept': report,
  'report.file.ended': report,
  'period.verified': { kills: 'worker', send: ({ closeDays }) => closeDays() },
  'endpoint.ask.before': buy,
  'endpoint.ask.after': buy,
  'payout_batch.page.kept': { ...batch, kills: 'api' },
  'reconciliation.file.kept': { ...upload, kills: 'api' },
  'reconciliation.file.taken': {
    kills: 'command',
    send: async ({ folder, statement }) => writeFileSync(join(folder, 'statement.xml'), statement()),
  },
};
