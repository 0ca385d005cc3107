/**
 * Makes a card: what is certain to fail is refused; everything else is recorded, with the instruction to the processor.
 */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Account } from '../../ledger/account/account.ts';
import { accounts } from '../../ledger/account/account-table.ts';
import type { BookId } from '../../ledger/book/book.ts';
import type { Command, Outcome, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import type { BookState } from '../../ledger/command/state.ts';
import { indexMetadata } from '../../ledger/resources/metadata-store.ts';
import { begin } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import type { Moment } from '../../values/clock.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { type CardType, firstStatus } from '../card/card.ts';
import { cardResource } from '../card/card-resource.ts';
import type { StoredCard } from '../card/card-table.ts';
import type { ControlsContent } from '../controls/controls-content.ts';
import { controlsTouches, enforce, makeControls } from '../controls/make-controls.ts';
import { startOperation } from '../operations/new-operation.ts';
import { takesCurrency } from '../program/program.ts';
import { programInForce, programs } from '../program/program-table.ts';

export interface IssueCard {
  /** Minted before: name and addresses are sealed for it. */
  readonly cardId: Uuid;
  readonly bookId: BookId;
  readonly accountId: Uuid;
  readonly type: CardType;
  /** Null where none issues cards of this book. */
  readonly processor: string | null;
  readonly cardholderSealed: Buffer;
  readonly cardholderMasked: string;
  readonly cardholderReference: string | null;
  readonly shippingSealed: Buffer | null;
  /** In force from the card's first moment on. */
  readonly controls: ControlsContent | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
  /** What the reference at the processor is derived from. */
  readonly idempotencyKey: string | null;
  readonly requestId: Uuid;
  readonly actor: string;
}

interface IssueCommand {
  readonly id: Uuid;
  readonly controlsId: Uuid;
  readonly textSalt: Buffer;
  readonly input: IssueCard;
}

export function issueCard(input: IssueCard): Command<Stored | Refusal> {
  const command: IssueCommand = { id: newId(), controlsId: newId(), textSalt: newSalt(), input };
  const { bookId, cardId, accountId, controls } = input;
  return {
    id: command.id,
    name: 'card.issue',
    requestId: input.requestId,
    actor: input.actor,
    touches: [
      { table: accounts, ids: [accountId] },
      { table: programs, ids: [bookId] },
      ...(controls === null ? [] : controlsTouches(cardId)),
    ],
    decide: (state, moment) => decideIssue(state, command, moment),
  };
}

function decideIssue(state: BookState, command: IssueCommand, moment: Moment): Outcome<Stored | Refusal> {
  const { input } = command;
  const draft = new Draft(state, { id: command.id, requestId: input.requestId, actor: input.actor }, moment);
  const account = draft.get(accounts, input.accountId);
  const refusal = refuseAccount(account) ?? refuseIssue(draft, account!, input);
  if (refusal) return draft.finish<Refusal>(refusal);
  const card = newCard(command, account!, moment);
  const body = begin(draft, cardResource, card, 'card.created');
  indexMetadata(draft, input.metadata, { object: 'card', objectId: card.id });
  startOperation(draft, card, {
    kind: 'issue',
    reference: endToEndId(input.bookId, `card ${input.idempotencyKey ?? card.id}`),
    state: card.status,
    requestId: input.requestId,
  });
  if (input.controls !== null) {
    const subject = { scope: 'card' as const, subjectId: card.lineId, cardId: card.id, accountId: null };
    const made = { id: command.controlsId, content: input.controls, requestId: input.requestId };
    enforce(draft, makeControls(draft, subject, made), { status: 'active', read: undefined });
  }
  return draft.finish<Stored>({ status: 202, body, resource: 'card', resourceId: card.id });
}

function refuseAccount(account: Account | undefined): Refusal | undefined {
  const param = '/account';
  if (account?.code !== 'customer')
    return { refused: 'resource_not_found', param, detail: 'There is no such account in this book.' };
  return account.status === 'closed' ? { refused: 'account_closed', param } : undefined;
}

function refuseIssue(draft: Draft, { currency }: Account, { bookId, processor }: IssueCard): Refusal | undefined {
  const program = programInForce(draft.get(programs, bookId), draft.book);
  if (!takesCurrency(program, currency))
    return {
      refused: 'currency_mismatch',
      param: '/account',
      detail: `The account is kept in ${currency}, and the program takes ${program.currencies!.join(', ')}.`,
      facts: { account_currency: currency },
    };
  if (processor === null)
    return {
      refused: 'processor_unavailable',
      detail: 'No processor is configured for live cards. Use a test key, or ask the operator to configure one.',
    };
  return undefined;
}

function newCard({ textSalt, input }: IssueCommand, { currency }: Account, moment: Moment): StoredCard {
  return {
    id: input.cardId,
    lineId: input.cardId,
    lineCards: 1,
    lineTokens: 0,
    status: firstStatus(input.type),
    type: input.type,
    accountId: input.accountId,
    currency,
    processor: input.processor!,
    cardReference: null,
    lastFour: null,
    network: null,
    expMonth: null,
    expYear: null,
    pinStatus: 'ok',
    pinFailures: 0,
    shippingStatus: input.shippingSealed === null ? null : 'ordered',
    replacementFor: null,
    replacementReason: null,
    replacedBy: null,
    closedReason: null,
    lockedTo: null,
    cardholderSealed: input.cardholderSealed,
    cardholderMasked: input.cardholderMasked,
    cardholderReference: input.cardholderReference,
    shippingSealed: input.shippingSealed,
    externalId: input.externalId,
    metadata: input.metadata,
    textSalt,
    requestId: input.requestId,
    version: 1,
    createdAt: moment.book,
    updatedAt: moment.book,
  };
}
