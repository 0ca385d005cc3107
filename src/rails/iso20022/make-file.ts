/** Makes a file of what waits: at a count, an age or the cut-off. Name, MsgId, bytes and payments are one commit. */
import { hash, randomBytes } from 'node:crypto';
import { dayOf } from '../../calendar/day.ts';
import { executionDay as executionDayOf } from '../../calendar/execution-day.ts';
import { inTransaction } from '../../db/transaction.ts';
import { formatInstant, type Instant } from '../../values/clock.ts';
import { newId } from '../../values/ids.ts';
import type { Bank } from './bank.ts';
import { lastCutOff, silentFrom } from './bank-days.ts';
import {
  contentPlace,
  type FiledInstruction,
  insertFile,
  listWaiting,
  lockRail,
  payeePlaceOf,
  readWaiting,
  type WaitingInstruction,
} from './bank-file-store.ts';
import type { BankSettings } from './bank-settings.ts';
import type { CreditTransfer } from './credit-transfer.ts';
import { type PaymentGroup, writePain001 } from './pain-001.ts';

/** What a payee is sealed as. One without a purpose may lack the member. */
export type SealedPayee = Pick<CreditTransfer, 'payee' | 'remittance'> & Partial<Pick<CreditTransfer, 'purposeCode'>>;

/** False where nothing has to be filed now, or the rail or all that waits is paused. */
export async function makeFile(bank: Bank): Promise<boolean> {
  const { settings, pool, clock } = bank;
  const rows = await bank.rows();
  const keptBack = await bank.keptBack();
  if (keptBack.isAll) return false;
  const some = { limit: settings.file.paymentsMax, without: keptBack.books };
  const { count, since } = await readWaiting(pool, rows, some);
  if (!isDue(settings, { count, since, now: clock.now() })) return false;
  return inTransaction(pool, async (trx) => {
    const now = clock.now();
    if ((await lockRail(trx, rows, now)) !== undefined) return false;
    const waiting = await listWaiting(trx, rows, some);
    if (waiting.length === 0) return false;
    const id = newId();
    const messageId = randomText('M');
    const transferOf = ({ endToEndId, reference, amount, currency, payeeSealed }: WaitingInstruction) => {
      const sealed = bank.secretBox.open(payeeSealed, payeePlaceOf(rows.bookId, endToEndId));
      const { payee, remittance, purposeCode = null } = JSON.parse(sealed) as SealedPayee;
      return { endToEndId, instructionId: reference, amount, currency, payee, remittance, purposeCode };
    };
    const groups = groupsOf(settings, { waiting, messageId, now, transferOf });
    const content = writePain001({ messageId, createdAt: formatInstant(now), groups }, settings);
    const file = {
      ...{ id, messageId, status: 'made' as const, attempt: null },
      name: `${settings.name}-${dayOf(now, settings.schedule.timeZone)}-${messageId}.xml`,
      contentSealed: bank.secretBox.seal(content, contentPlace(rows.bookId, id)),
      sha256: hash('sha256', content, 'hex'),
    };
    await insertFile(trx, rows, { file, filed: filedOf(settings, groups), now });
    return true;
  });
}

/** Whether what waits is filed now. */
function isDue(
  settings: Pick<BankSettings, 'file' | 'schedule'>,
  { count, since, now }: { count: number; since: Instant | null; now: Instant },
): boolean {
  if (since === null) return false;
  return (
    count >= settings.file.paymentsMax ||
    now - since >= settings.file.ageMaxMs ||
    since < lastCutOff(now, settings.schedule)
  );
}

/** 26 characters that nobody can guess and that never come twice, also not from a restored database: Max35Text has room for a suffix. */
export function randomText(prefix: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return prefix + [...randomBytes(25)].map((byte) => alphabet[byte & 31]).join('');
}

/** One PmtInf for each currency, day of execution and payout batch, in the order in which the payments came: singles stand together. */
function groupsOf(
  settings: BankSettings,
  {
    waiting,
    messageId,
    now,
    transferOf,
  }: {
    waiting: readonly WaitingInstruction[];
    messageId: string;
    now: Instant;
    transferOf: (one: WaitingInstruction) => CreditTransfer;
  },
): PaymentGroup[] {
  const groups = new Map<string, { currency: string; executionDay: string; transfers: CreditTransfer[] }>();
  const days = new Map<Instant, string>();
  const today = dayOf(now, settings.schedule.timeZone);
  for (const one of waiting) {
    let executionDay = days.get(one.submittedAt) ?? executionDayOf(settings.schedule, one.submittedAt);
    days.set(one.submittedAt, executionDay);
    // A day that has passed while the rail was paused.
    if (executionDay < today) executionDay = executionDayOf(settings.schedule, now);
    const key = `${one.currency} ${executionDay} ${one.batch ?? ''}`;
    const group = groups.get(key) ?? { currency: one.currency, executionDay, transfers: [] };
    groups.set(key, group);
    group.transfers.push(transferOf(one));
  }
  return [...groups.values()].map((group, index) => ({ ...group, paymentInformationId: `${messageId}-${index + 1}` }));
}

function filedOf(settings: BankSettings, groups: readonly PaymentGroup[]): FiledInstruction[] {
  let line = 0;
  return groups.flatMap(({ paymentInformationId, executionDay, transfers }) => {
    const silentAt = silentFrom(executionDay, settings.silentAfterDays, settings.schedule);
    return transfers.map(({ endToEndId }) => ({
      ...{ endToEndId, paymentInformationId, executionDay, silentAt },
      line: ++line,
    }));
  });
}
