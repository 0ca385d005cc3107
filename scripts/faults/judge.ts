/** Judges the product after a fault: waits until everything promised has come to its end, and compares all records. */
import { publicId } from '../../src/values/ids.ts';
import { until } from '../harness/client.ts';
import { countUnderWay, hurryDeliveries, makeRowsDue, payoutIds, readExceptions } from '../harness/database-store.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import { brokenInvariants } from './invariants-store.ts';
import type { Load } from './load.ts';
import type { PaymentLoad } from './payment-load.ts';
import { bringReleaseDay, paymentIds } from './payment-records-store.ts';
import { brokenPayments } from './payment-rules-store.ts';
import { betrayed } from './secrets.ts';
import type { Stage } from './stage.ts';

/**
 * Rows left behind by a fault move once they are due. Half a minute each is too long to wait, so they are made due this
 * often.
 */
const MAKE_DUE_EVERY_MS = 500;
/** Returns everything that is wrong, a line each. The list is empty when nothing is. */
export async function judge(stage: Stage, load: Load, payments: PaymentLoad): Promise<string[]> {
  const left = await settle(stage);
  if (left) return [left];
  await load.expectFirstAnswersAgain();
  await payments.expectFirstAnswersAgain();
  const wrong = await Promise.all([lostOrInvented(stage), broken(stage), contradictions(stage), betrayed(stage)]);
  return wrong.flat();
}

/** Resolves to undefined when everything has come to its end. */
async function settle({ behind }: Stage): Promise<string | undefined> {
  let makeDueAt = 0;
  try {
    await until(
      async () => {
        if (performance.now() > makeDueAt) {
          makeDueAt = performance.now() + MAKE_DUE_EVERY_MS;
          await makeRowsDue(behind);
          await hurryDeliveries(behind);
          await bringReleaseDay(behind);
        }
        return countUnderWay(behind);
      },
      (underWay) => Object.values(underWay).every((rows) => rows === 0n),
      { timeoutMs: FAULT_PATIENCE_MS },
    );
    return undefined;
  } catch (error) {
    return `not everything came to its end: ${(error as Error).message}`;
  }
}

/** The payouts and payments of the books must be those that were accepted, each once. */
async function lostOrInvented({ behind, keys, tenants, accepted, acceptedPayments }: Stage): Promise<string[]> {
  const books = [keys, ...tenants.map((tenant) => tenant.keys)].map(({ testBookId }) => testBookId);
  const payouts = (await Promise.all(books.map((bookId) => payoutIds(behind, bookId)))).flat();
  const payments = (await Promise.all(books.map((bookId) => paymentIds(behind, bookId)))).flat();
  const isOf = (kind: 'payout' | 'payment') => (id: string) => publicId(kind, id);
  return [
    ...differences(accepted, new Set(payouts.map(isOf('payout')))),
    ...differences(acceptedPayments, new Set(payments.map(isOf('payment')))),
  ];
}

function differences(accepted: ReadonlySet<string>, kept: ReadonlySet<string>): string[] {
  const lost = [...accepted].filter((id) => !kept.has(id)).map((id) => `${id} was accepted, and is not there`);
  const invented = [...kept].filter((id) => !accepted.has(id)).map((id) => `${id} is there, and nobody was told`);
  return [...lost, ...invented].slice(0, 5);
}

async function broken({ behind, database, receiver, endpoints }: Stage): Promise<string[]> {
  const wrong = {
    ...(await brokenInvariants({ database, receiver, endpoints: [...endpoints] })),
    ...(await brokenPayments(behind)),
  };
  return Object.entries(wrong).map(([rule, found]) => `not so: ${rule}. ${JSON.stringify(found, bigintsAsText)}`);
}

const bigintsAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** A fault in the product must never look like a rail that contradicts itself. */
async function contradictions({ behind, contradicted }: Stage): Promise<string[]> {
  const found = (await readExceptions(behind)).map(({ kind, payoutId }) => ({
    kind,
    payout: publicId('payout', payoutId),
  }));
  const needless = found.filter(({ payout }) => !contradicted.has(payout));
  const silent = [...contradicted].filter((id) => !found.some(({ payout }) => payout === id));
  return [
    ...needless.map(({ kind, payout }) => `an exception that nobody caused: ${kind} of ${payout}`),
    ...silent.map((id) => `no exception tells that the rail contradicted itself about ${id}`),
  ];
}
