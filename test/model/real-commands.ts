/** Requests as commands of the product: what its use cases and routes submit to the committer. */

import { changeAccountStatus } from '../../src/accounts/change-account.ts';
import { openAccount } from '../../src/accounts/open-account.ts';
import { receiveTransfer } from '../../src/accounts/receive-transfer.ts';
import { PLAIN_FINGERPRINTS } from '../../src/idempotency/fingerprints.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import { type OnceAnswer, once, voidKey } from '../../src/idempotency/once.ts';
import { newId } from '../../src/ids.ts';
import { writeJson } from '../../src/json.ts';
import { accounts } from '../../src/ledger/account-table.ts';
import { type Command, isRefusal, type Refusal } from '../../src/ledger/command.ts';
import { holds } from '../../src/ledger/hold-table.ts';
import { acceptPayout } from '../../src/payouts/accept-payout.ts';
import { recordUnknown } from '../../src/payouts/await-outcome.ts';
import { cancelPayout } from '../../src/payouts/cancel-payout.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { payouts } from '../../src/payouts/payout-table.ts';
import { payoutView } from '../../src/payouts/payout-view.ts';
import { reservePayout } from '../../src/payouts/reserve-payout.ts';
import { settlePayout } from '../../src/payouts/settle-payout.ts';
import { noticeCommand } from '../../src/payouts/take-notices.ts';
import type { MemoryBook } from '../support/memory-book.ts';
import { captureHold, expireHold, placeHold, postEntry, releaseHold } from './hold-commands.ts';
import type { Names } from './names.ts';
import { refused, type Said } from './reference-ledger.ts';
import { bodyOf, type InternalRequest, isKeyed, type KeyedRequest, type Request } from './requests.ts';

const BY = { requestId: '018f4d3e-7b2a-7000-8000-000000000000', actor: 'api_key:key_1' };
const PUBLIC_URL = 'https://api.test';
const ALIAS = { type: 'cliq', aliasSealed: Buffer.from('sealed'), aliasMasked: 'A**N', provider: null } as const;
const NEXT_INQUIRY_MS = 1_000;

/** The names and the rows of the real ledger. */
export interface RealBook {
  readonly memory: MemoryBook;
  readonly names: Names;
}

/** The command of a dry run is previewed, every other is committed. */
export function commandOf(book: RealBook, request: Request): Command<unknown> {
  if (request.do === 'void') return voidKey({ key: request.key, ...BY });
  if (!isKeyed(request)) return internalCommand(book, request);
  const command = keyedCommand(book, request);
  if (request.do === 'accept' && request.dry) return command;
  return once(command, {
    key: request.key,
    fingerprint: Buffer.from(bodyOf(request)),
    fingerprints: PLAIN_FINGERPRINTS,
    publicUrl: PUBLIC_URL,
  });
}

function keyedCommand({ memory, names }: RealBook, request: KeyedRequest): Command<Stored | Refusal> {
  const bookId = memory.book.id;
  switch (request.do) {
    case 'open': {
      const { currency, overdraft: overdraftLimit } = request;
      return openAccount({ currency, name: 'Any', overdraftLimit, externalId: null, metadata: {}, ...BY });
    }
    case 'fund': {
      const { currency, amount } = request;
      const accountId = names.idOf(request.account);
      const salt = Buffer.alloc(16, 7);
      return receiveTransfer({ bookId, accountId, amount, currency, description: 'rent', salt, ...BY });
    }
    case 'status': {
      const accountId = names.idOf(request.account);
      const currency = memory.rows(accounts).get(accountId)?.currency ?? 'EUR';
      return changeAccountStatus(request.action, { accountId, currency, ifMatch: request.ifMatch, ...BY });
    }
    case 'accept':
      return acceptPayout({
        payoutId: newId(),
        bookId,
        accountId: names.idOf(request.account),
        amount: request.amount,
        fee: request.fee,
        currency: request.currency,
        destination: request.to === null ? ALIAS : { type: 'account', accountId: names.idOf(request.to) },
        rail: request.to === null ? 'sandbox' : 'book',
        description: null,
        externalId: null,
        metadata: { order: '7' },
        idempotencyKey: request.key ?? newId(),
        dryRun: request.dry,
        ...BY,
      });
    case 'cancel':
      return cancelPayout(bookId, payoutOf(memory, names, request.payout), { ifMatch: request.ifMatch, ...BY });
    case 'simulate':
      return simulation(memory, payoutOf(memory, names, request.payout), request.word);
    case 'post': {
      const postings = request.movements.map(({ debit, credit, amount }) => ({
        debit: names.idOf(debit),
        credit: names.idOf(credit),
        amount,
      }));
      return postEntry(postings);
    }
    case 'hold':
      return placeHold({
        accountId: names.idOf(request.account),
        amount: request.amount,
        expiresAt: request.expiresAt,
      });
    case 'capture':
      return captureHold({
        ...holdOf(memory, names, request.hold),
        to: names.idOf(request.to),
        amount: request.amount,
      });
    case 'release':
      return releaseHold({ ...holdOf(memory, names, request.hold), amount: request.amount });
  }
}

function internalCommand({ memory, names }: RealBook, request: InternalRequest): Command<unknown> {
  const bookId = memory.book.id;
  if (request.do === 'expire') return expireHold(holdOf(memory, names, request.hold));
  const payout = payoutOf(memory, names, request.payout);
  switch (request.do) {
    case 'reserve':
      return reservePayout(bookId, payout);
    case 'unknown':
      return recordUnknown(bookId, payout, { call: 'submit', nextInquiryMs: NEXT_INQUIRY_MS, raw: {} });
    case 'settle': {
      const { word: status, notice } = request;
      if (notice === null)
        return settlePayout(bookId, payout, { call: 'inquire', status, nextInquiryMs: NEXT_INQUIRY_MS, raw: {} });
      const noticeId = names.idOf(notice);
      const word = { call: 'notice', noticeId, status, nextInquiryMs: NEXT_INQUIRY_MS, raw: {} } as const;
      return settlePayout(bookId, payout, word);
    }
    case 'return':
      return noticeCommand(
        bookId,
        payout,
        noticeOf(payout, 'returned', names.idOf(request.notice), request.amount),
        COMPARED,
      );
  }
}

/** The command of simulate-payout.ts after the rail has reported. */
function simulation(memory: MemoryBook, payout: Payout, word: 'paid' | 'rejected'): Command<Stored | Refusal> {
  const command = noticeCommand(memory.book.id, payout, noticeOf(payout, word, newId(), null), COMPARED);
  return {
    ...command,
    decide(state, moment) {
      const outcome = command.decide(state, moment);
      const body = writeJson(payoutView(outcome.answer, false));
      return { ...outcome, answer: { status: 200, body, resource: 'payout', resourceId: payout.id } };
    },
  };
}

/** A report that matches the payout. */
const COMPARED = { mismatches: [], nextInquiryMs: NEXT_INQUIRY_MS, evidence: '{}' };

function noticeOf(payout: Payout, kind: 'paid' | 'rejected' | 'returned', id: string, amount: bigint | null) {
  const { endToEndId } = payout;
  return { id, originator: '', endToEndId, kind, amount, code: null, reference: 'R', createdAt: 0 };
}

function payoutOf(memory: MemoryBook, names: Names, name: string): Payout {
  return memory.get(payouts, names.idOf(name));
}

function holdOf(memory: MemoryBook, names: Names, name: string): { holdId: string; accountId: string } {
  const holdId = names.idOf(name);
  return { holdId, accountId: memory.rows(holds).get(holdId)?.accountId ?? names.idOf('nobody') };
}

/** Converts a real answer to an answer of the reference. */
export function saidOf(answer: unknown, names: Names): Said {
  if (isRefusal(answer)) return refused(answer.refused);
  const { status, body, resourceId, id, voidedAt } = answer as Partial<
    OnceAnswer & Payout & { voidedAt: number | null }
  >;
  // The answer to voiding a key.
  if (voidedAt !== undefined) return { status: voidedAt === null ? Number(status) : 0 };
  if (id !== undefined) return { status: 0, resource: names.nameOf(id) };
  const code = Number(status) < 400 ? undefined : (JSON.parse(body!).code as string);
  return {
    status: Number(status),
    ...(code ? { code } : {}),
    ...(resourceId ? { resource: names.nameOf(resourceId) } : {}),
  };
}

/** The id of the object that was created, if any. */
export function madeBy(answer: unknown): string | undefined {
  return (answer as Partial<Stored>).resourceId;
}
