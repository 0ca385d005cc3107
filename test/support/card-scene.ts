/** Cards and their purchases in a book without a processor: what it would say is said here. */

import { cards } from '../../src/cards/card/card-table.ts';
import { requestControls } from '../../src/cards/controls/request-controls.ts';
import { keepAccess } from '../../src/cards/details/detail-access-store.ts';
import { requestCard } from '../../src/cards/issuing/request-card.ts';
import { readLine } from '../../src/cards/lines/line-store.ts';
import { requestToken } from '../../src/cards/lines/request-token.ts';
import { cardOperations } from '../../src/cards/operations/card-operation-table.ts';
import { applyProcessorReport } from '../../src/cards/outcomes/apply-processor-report.ts';
import type { Program } from '../../src/cards/program/program.ts';
import { requestProgramUpdate } from '../../src/cards/program/update-program.ts';
import { createSecretBox } from '../../src/db/secret-box.ts';
import type { Stored } from '../../src/idempotency/idempotency-key.ts';
import type { Asked, UseCase } from '../../src/idempotency/use-case.ts';
import type { PartLine } from '../../src/transactions/clearing-files/clearing-file-store.ts';
import { readLines } from '../../src/transactions/clearing-files/read-lines.ts';
import { takeLines } from '../../src/transactions/clearing-files/take-lines.ts';
import { readDecisionAnswer } from '../../src/transactions/decisions/api/decision-answer.ts';
import { disputeAction, requestDispute } from '../../src/transactions/dispute-actions/act-on-dispute.ts';
import {
  authorizationMessage,
  clearingMessage,
  type Of,
  refundMessage,
} from '../../src/transactions/recording/api/message-of-body.ts';
import * as schemas from '../../src/transactions/recording/api/message-schemas.ts';
import { takingMessage } from '../../src/transactions/recording/receive-message.ts';
import type { ReceivedMessage } from '../../src/transactions/recording/received-message.ts';
import { requestSettlement } from '../../src/transactions/settlements/settle.ts';
import { newId, publicId, type Uuid } from '../../src/values/ids.ts';
import type { TestBook } from './book.ts';
import { NO_CONTROLS } from './controls.ts';
import { MERCHANT } from './purchases.ts';

const secretBox = createSecretBox(Buffer.alloc(32, 7).toString('base64'));

const askedIn = ({ id }: TestBook): Asked => ({
  ...{ bookId: id, actor: 'test', requestId: newId() },
  ...{ idempotencyKey: null, fingerprint: Buffer.alloc(32) },
});

/** `parts`: what preparing reads beside the pool. Resolves to the id of the object that the answer shows. */
async function carryOut<Runtime, Input extends Asked>(
  book: TestBook,
  useCase: UseCase<Runtime, Input>,
  input: Omit<Input, keyof Asked>,
  parts: object = {},
): Promise<Uuid> {
  const asked = { ...askedIn(book), ...input } as Input;
  const { command } = await useCase.prepare({ ...parts, pool: book.pool } as Runtime, asked);
  const answer = await book.submit(command);
  if ('refused' in answer) throw new Error(`Refused: ${answer.refused}`);
  return (answer as Stored).resourceId!;
}

/** A virtual card that its processor has issued, of an account with money. */
async function issuedCard(book: TestBook): Promise<Uuid> {
  const accountId = await book.account({ amount: 50_000n });
  const cardId = await carryOut(
    book,
    requestCard,
    {
      mode: 'test',
      accountId,
      type: 'virtual',
      cardholder: { name: 'Ada Lovelace', reference: 'ada', billingAddress: null },
      shipping: null,
      controls: null,
      externalId: 'card-77',
      metadata: { floor: '2' },
    },
    { secretBox, processors: { ofMode: () => ({ name: 'test' }) } },
  );
  const { id } = await book.row<{ id: Uuid }>(
    'SELECT id FROM card_operations WHERE book_id = $1 AND card_id = $2',
    cardId,
  );
  const operation = (await cardOperations.find(book.pool, book.id, id))!;
  const line = (await readLine(book.pool, book.id, cardId))!;
  const card = { cardReference: `ref-${cardId}`, lastFour: '4242', expMonth: 12, expYear: 2034, network: 'visa' };
  const report = {
    call: 'submit',
    status: 'succeeded',
    reference: 'P-1',
    card,
    nextInquiryMs: 1_000,
    raw: {},
  } as const;
  await book.submit(applyProcessorReport({ operation, report, line }));
  return cardId;
}

/** Something of everything that the group of cards keeps. */
export async function playCards(book: TestBook): Promise<void> {
  const cardId = await issuedCard(book);
  const limits = [{ window: 'day', amount: 5_000n, count: null, for: null, netOfRefunds: false }] as const;
  const subject = { scope: 'card', cardId, param: '/card' } as const;
  await carryOut(book, requestControls, { subject, content: { ...NO_CONTROLS, limits }, status: 'active' });
  await carryOut(book, requestToken, {
    ...{ cardId, cardParam: 'id', tokenReference: `T-${cardId}`, network: 'visa', wallet: 'apple_pay' },
    ...{ requestorId: 'R-1', lastFour: '1111', recommendation: 'approve' },
    ...{ deviceType: 'phone', deviceName: "Ada's phone", deviceId: 'D-1' },
  });
  await setEndpoint(book, { url: 'https://example.com/decide', timeoutMs: 1_000, default: 'approve' });
  const access = {
    id: newId(),
    cardId,
    what: 'details',
    actor: 'test',
    address: '127.0.0.1',
    createdAt: Date.now(),
  } as const;
  await keepAccess(book.pool, book.id, access);
}

function setEndpoint(book: TestBook, decision: Program['decision']): Promise<void> {
  return setProgram(book, { decision });
}

async function setProgram(book: TestBook, change: Partial<Program>): Promise<void> {
  const input = { commandId: newId(), change, allow: { permits: () => false }, ports: [] };
  await carryOut(book, requestProgramUpdate, input, { secretBox });
}

/** A purchase that is cleared, disputed and settled. */
export async function playPurchases(book: TestBook): Promise<void> {
  // Nobody listens there.
  await setEndpoint(book, null);
  const cardId = await issuedCard(book);
  const { currency } = (await cards.find(book.pool, book.id, cardId))!;
  const named = { card: publicId('card', cardId), currency, network_reference: `net-${cardId}`, merchant: MERCHANT };
  const asked = { ...named, message_reference: `msg-${cardId}`, amount: 4_000, entry_mode: 'chip' };
  await take(book, authorizationMessage(ofBook(book), schemas.createAuthorization.parse(asked)));
  const cleared = { ...named, message_reference: `clr-${cardId}`, amount: 4_000 };
  const transactionId = await take(book, clearingMessage(ofBook(book), schemas.createClearing.parse(cleared)));
  await carryOut(book, requestDispute, { transactionId, amount: 1_000n, reason: 'product_not_received' });
  await carryOut(book, requestSettlement, {});
  await playClearingLine(book);
}

/** A line of a file, of a card that is not there. */
async function playClearingLine(book: TestBook): Promise<void> {
  const ids = { part: newId(), line: newId(), request: newId() };
  const part = { id: ids.part, fileBookId: book.id, ofBook: book.id, processor: 'sandbox', lines: 1 };
  const line: PartLine = {
    ...{ id: ids.line, place: 1, row: 2, messageReference: `line-${ids.line}`, networkReference: `net-${ids.line}` },
    ...{ program: publicId('book', book.id), card: 'unknown', type: 'clearing', kind: null },
    ...{ amount: 700n, currency: 'JOD', merchantAmount: null, sequence: null, isFinal: null },
    ...{ mcc: '5411', merchantId: 'M-1', merchantName: 'Shop', merchantCountry: 'JO' },
    ...{ interchange: null, businessDate: null, reverses: null },
  };
  const of = { requestId: ids.request, actor: 'test', anew: false };
  const lines = await readLines(book.pool, part, [line], of);
  await book.submit(takeLines({ part, behind: 0, lines, requestId: ids.request }));
}

const ofBook = (book: TestBook): Of => ({ ...askedIn(book), purchaseId: null });

const take = (book: TestBook, received: ReceivedMessage) =>
  carryOut(book, takingMessage({ readAnswer: readDecisionAnswer }), received);

/** Ids of what `playEveryCheck` leaves, by what it is. */
export interface CheckedCards {
  readonly cardId: Uuid;
  /** Cleared, refunded in part, with a dispute that is submitted and one that was lost. */
  readonly disputedId: Uuid;
  /** Cash, with a fee: something of it is held still. */
  readonly openId: Uuid;
  /** Of the card, the account and the program: each has a limit with a filter. */
  readonly limitIds: readonly Uuid[];
}

const CASH_FEE = { fixed: 10n, basisPoints: 0n, minimum: null, maximum: null, rounding: 'half_even' } as const;

/** Purchases of every kind that checks compare: with fees, holds, refunds, disputes, limits that count for themselves, and settled ones. */
export async function playEveryCheck(book: TestBook): Promise<CheckedCards> {
  const fees = { cash: CASH_FEE, quasiCash: null, foreignCurrency: null };
  await setProgram(book, { decision: null, fees });
  const cardId = await issuedCard(book);
  const { currency, accountId } = (await cards.find(book.pool, book.id, cardId))!;
  const limits = [
    { window: 'day', amount: 90_000n, count: 90n, for: { mccs: [MERCHANT.mcc] }, netOfRefunds: false },
  ] as const;
  const subjects = [
    { scope: 'card', cardId, param: '/card' },
    { scope: 'account', accountId, param: '/account' },
    { scope: 'program' },
  ] as const;
  const limitIds: Uuid[] = [];
  for (const subject of subjects)
    limitIds.push(
      await carryOut(book, requestControls, { subject, content: { ...NO_CONTROLS, limits }, status: 'active' }),
    );
  await carryOut(book, requestToken, {
    ...{ cardId, cardParam: 'id', tokenReference: `T-${cardId}`, network: 'visa', wallet: 'other' },
    ...{ requestorId: null, lastFour: null, recommendation: null, deviceType: null, deviceName: null, deviceId: null },
  });
  const named = (name: string) => ({
    ...{ card: publicId('card', cardId), currency, network_reference: `net-${name}-${cardId}`, merchant: MERCHANT },
  });
  const of = ofBook(book);
  const message = (name: string) => `${name}-${cardId}`;
  const authorize = (name: string, asked: object) => {
    const body = { ...named(name), message_reference: message(`auth-${name}`), entry_mode: 'chip', ...asked };
    return take(book, authorizationMessage(of, schemas.createAuthorization.parse(body)));
  };
  const clear = (name: string, asked: object) => {
    const body = { ...named(name), message_reference: message(`clear-${name}`), ...asked };
    return take(book, clearingMessage(of, schemas.createClearing.parse(body)));
  };
  await authorize('disputed', { amount: 4_000 });
  const disputedId = await clear('disputed', { amount: 4_000 });
  const refunded = { ...named('disputed'), message_reference: message('refund'), amount: 500 };
  await take(book, refundMessage(of, schemas.createRefund.parse(refunded)));
  const dispute = (amount: bigint) =>
    carryOut(book, requestDispute, { transactionId: disputedId, amount, reason: 'product_not_received' });
  const lost = await dispute(300n);
  await carryOut(book, disputeAction('submit'), { disputeId: lost });
  await carryOut(book, disputeAction('lose'), { disputeId: lost });
  await carryOut(book, disputeAction('submit'), { disputeId: await dispute(1_000n) });
  await carryOut(book, requestSettlement, {});
  const openId = await authorize('cash', { amount: 900, kind: 'cash' });
  await clear('cash', { amount: 400, final: false });
  await clear('forced', { amount: 250 });
  return { cardId, disputedId, openId, limitIds };
}
