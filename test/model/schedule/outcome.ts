/**
 * Checks that everything ended right, from the outside: the clients' answers, the rail's movements, and the receiver's
 * events. The books must agree with them.
 */

import { GROUPS } from '../../../src/groups.ts';
import { publicId } from '../../../src/ids.ts';
import { verifyDatabase } from '../../../src/verify/verify-database.ts';
import type { Answer, Intent } from './clients.ts';
import {
  type AccountOutcome,
  accountOutcomes,
  countEntries,
  eventOutcomes,
  type PayoutOutcome,
  payoutOutcomes,
} from './outcome-store.ts';
import { net } from './rail-model.ts';
import { ACCOUNTS, type Schedule } from './schedule.ts';

/** Events of accounts opened and funded before the endpoint existed. */
const EVENTS_BEFORE = ACCOUNTS.length + ACCOUNTS.filter((amount) => amount > 0n).length;

const STEPS: Record<string, RegExp> = {
  paid: /^reserved (paid|failed paid_after_failed)( returned(_\d+)?)*$/,
  returned: /^reserved (paid|failed paid_after_failed)( returned(_\d+)?)+$/,
  failed: /^(reserved failed)?$/,
  canceled: /^$/,
};

/** Everything that is wrong, in words; empty when all is right. */
export async function faultsOf(schedule: Schedule): Promise<string[]> {
  const payouts = await payoutOutcomes(schedule.pool, schedule.bookId);
  for (const { status, steps, failure } of payouts) {
    schedule.scheduler.count(failure ?? status);
    if (steps.length > 3) schedule.scheduler.count('returned in parts');
  }
  for (const { times } of schedule.receiver.received.values())
    schedule.scheduler.count(times > 1 ? 'events received again' : 'events received once');
  for (const { wish, answers } of schedule.clients.intents) {
    schedule.scheduler.count(`${wish.do} ${answers[0]?.status}`);
    if (answers.length > 1) schedule.scheduler.count('asked again');
  }
  for (const { submissions } of schedule.rail.records.values())
    if (submissions > 1) schedule.scheduler.count('submitted again');
  const faults = [
    ...schedule.bugs.map(
      (error) => `a bug: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    ),
    ...answerFaults(schedule.clients.intents),
    ...promiseFaults(schedule, payouts),
    ...payouts.flatMap(payoutFaults),
    ...railFaults(schedule, payouts),
    ...balanceFaults(schedule, payouts, await accountOutcomes(schedule.pool, schedule.bookId)),
    ...(await eventFaults(schedule)),
  ];
  const { entries, last, twice } = await countEntries(schedule.pool, schedule.bookId);
  if (entries !== last || twice !== 0n) faults.push(`${entries} entries up to ${last}, ${twice} steps booked twice`);
  const { pool, bookId } = schedule;
  await verifyDatabase(pool, {
    groups: GROUPS,
    bookId,
    onFinding: (finding) => faults.push(`verify: ${JSON.stringify(finding, plain)}`),
  });
  return faults;
}

const plain = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

/** One key, one answer, to the byte. The refusal of a voided key names its own request, so only its status counts. */
function answerFaults(intents: readonly Intent[]): string[] {
  return intents.flatMap(({ key, wish, answers }) => {
    const kept = answers.filter(({ body }) => body !== '');
    const texts = new Set(
      kept.map(({ status, body }) => `${status} ${codeOf(body) === 'idempotency_key_voided' ? '' : body}`),
    );
    return texts.size > 1 ? [`${key} (${wish.do}) was answered differently: ${[...texts].join(' | ')}`] : [];
  });
}

function codeOf(body: string): string | undefined {
  return (JSON.parse(body) as { code?: string }).code;
}

/** Every payout answered with 202 exists, no other does, and a voided key has none. */
function promiseFaults({ clients }: Schedule, payouts: readonly PayoutOutcome[]): string[] {
  const promised = new Set(clients.promised.map(({ answer }) => answer.resourceId));
  const made = new Set(payouts.map(({ id }) => id));
  const voided = clients.intents.filter(({ wish, answers }) => wish.do === 'void' && answers[0]?.status === 204);
  const keys = new Set(voided.map(({ wish }) => (wish.do === 'void' ? wish.key : '')));
  return [
    ...[...promised].filter((id) => !made.has(id!)).map((id) => `payout ${id} was promised and is not there`),
    ...[...made].filter((id) => !promised.has(id)).map((id) => `payout ${id} is there and nobody was promised it`),
    ...clients.promised
      .filter(({ intent }) => keys.has(intent.key))
      .map(({ intent }) => `${intent.key} is void and pays`),
  ];
}

function payoutFaults({ id, status, steps, stuck }: PayoutOutcome): string[] {
  const isRight = STEPS[status]?.test(steps.join(' ')) ?? false;
  return isRight && !stuck ? [] : [`payout ${id} is ${status}${stuck ? ', stuck' : ''}, booked: ${steps.join(' ')}`];
}

function railFaults({ rail }: Schedule, payouts: readonly PayoutOutcome[]): string[] {
  const known = new Map(payouts.map((payout) => [payout.end_to_end_id, payout]));
  const faults: string[] = [];
  for (const [id, record] of rail.records) {
    const payout = known.get(id);
    const outs = record.movements.filter(({ kind }) => kind === 'out').length;
    if (!payout) faults.push(`the rail has ${id}, which is nobody's`);
    else if (record.instruction.amount !== payout.amount) faults.push(`the rail has another amount of ${payout.id}`);
    else if (record.contradicted) {
      if (net(record) !== gone(payout) && payout.exceptions === 0n)
        faults.push(`the rail contradicted itself about ${payout.id}, the books disagree, and no person is asked`);
    } else if (outs > 1) faults.push(`the rail paid ${payout.id} ${outs} times`);
    else if ((outs === 1) !== payout.steps.includes('paid'))
      faults.push(`the rail paid ${payout.id} ${outs} times, the books say ${payout.steps.join(' ')}`);
  }
  for (const { id, rail: name, steps, end_to_end_id } of payouts)
    if (name === 'sandbox' && steps.includes('paid') && !rail.records.has(end_to_end_id))
      faults.push(`the books say that ${id} was paid, the rail has never heard of it`);
  return faults;
}

/** The amount that the payee has, by the books. */
function gone({ status, amount, amount_returned }: PayoutOutcome): bigint {
  return status === 'paid' ? amount - amount_returned : 0n;
}

/** Each balance computed again from the outside world alone. */
function balanceFaults(
  { clients, rail, accounts }: Schedule,
  payouts: readonly PayoutOutcome[],
  rows: readonly AccountOutcome[],
): string[] {
  const expected = new Map<string, bigint>(accounts.map((id, at) => [id, ACCOUNTS[at]!]));
  const add = (key: string, amount: bigint) => expected.set(key, (expected.get(key) ?? 0n) + amount);
  for (const amount of ACCOUNTS) add('pool', amount);
  for (const { wish, answers } of clients.intents) {
    if (wish.do !== 'fund' || answers[0]?.status !== 201) continue;
    add(wish.account, wish.amount);
    add('pool', wish.amount);
  }
  const fees = new Map(clients.promised.map(({ answer }) => [answer.resourceId!, feeOf(answer)]));
  for (const payout of payouts) {
    const record = rail.records.get(payout.end_to_end_id);
    const isWithin = payout.rail === 'book';
    // When the rail has contradicted itself, an exception covers the difference: see railFaults.
    const byBooks = isWithin || record?.contradicted;
    const left = byBooks ? gone(payout) : record ? net(record) : 0n;
    const isPaid = byBooks ? payout.steps.includes('paid') : (record?.movements.length ?? 0) > 0;
    const fee = isPaid ? fees.get(payout.id)! : 0n;
    add(payout.account_id, -left - fee);
    add(isWithin ? payout.destination_account_id! : 'pool', isWithin ? left : -left);
    add('due_operator', fee);
  }
  return rows.flatMap((row) => {
    const key = row.code === 'customer' ? row.id : row.code;
    const right = expected.get(key) ?? 0n;
    return row.posted === right && row.summed === right && row.held === 0n
      ? []
      : [`${row.code} ${row.id} has ${row.posted}, its lines ${row.summed}, held ${row.held}; it should have ${right}`];
  });
}

function feeOf({ body }: Answer): bigint {
  return BigInt((JSON.parse(body) as { fee: number }).fee);
}

async function eventFaults({ pool, bookId, receiver }: Schedule): Promise<string[]> {
  const events = await eventOutcomes(pool, bookId);
  const faults = events.flatMap(({ id, sequence, payload, deliveries }, at) => {
    if (sequence !== BigInt(at + 1)) return [`event ${sequence} stands at ${at + 1}`];
    if (at < EVENTS_BEFORE) return [];
    const got = receiver.received.get(publicId('event', id));
    const isRight = deliveries.join() === 'delivered' && got?.body === payload;
    return isRight
      ? []
      : [`event ${sequence} is ${deliveries.join() || 'for nobody'}, received: ${got?.times ?? 0} times`];
  });
  const known = new Set(events.map(({ id }) => publicId('event', id)));
  for (const id of receiver.received.keys()) if (!known.has(id)) faults.push(`the receiver got ${id}, which never was`);
  return faults;
}
