/** Judges the product after a fault: waits until everything promised has ended, and compares all records. */
import { publicId } from '../../src/values/ids.ts';
import { payoutIds, readExceptions } from '../harness/database-store.ts';
import { FAULT_PATIENCE_MS } from '../harness/until.ts';
import type { CardLoad } from './card-load.ts';
import { brokenInvariants } from './invariants-store.ts';
import type { Load } from './load.ts';
import type { PaymentLoad } from './payment-load.ts';
import { paymentIds } from './payment-records-store.ts';
import { brokenPayments } from './payment-rules-store.ts';
import { betrayed } from './secrets.ts';
import type { Stage } from './stage.ts';
import { untilAllEnded } from './until-all-ended.ts';

/** Returns everything that is wrong, a line each. The list is empty when nothing is. */
export async function judge(
  stage: Stage,
  { load, payments, cards }: { load: Load; payments: PaymentLoad; cards: CardLoad },
): Promise<string[]> {
  try {
    await untilAllEnded(stage.behind, { limitMs: FAULT_PATIENCE_MS });
  } catch (error) {
    return [`not everything came to its end: ${(error as Error).message}`];
  }
  await load.expectFirstAnswersAgain();
  await payments.expectFirstAnswersAgain();
  await cards.expectFirstAnswersAgain();
  const checks = [lostOrInvented(stage), broken(stage), contradictions(stage), betrayed(stage), cards.broken()];
  return (await Promise.all(checks)).flat();
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
