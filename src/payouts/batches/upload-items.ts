/** What the items of an upload become: each is placed, its fee is set, and it is kept in a page, while nothing is wrong with any. */
import type { Config } from '../../config.ts';
import type { Pool } from '../../db/pool.ts';
import { ERRORS } from '../../errors/errors.ts';
import { feeOf, proportionalFee } from '../../fees/fee-schedule.ts';
import type { Account } from '../../ledger/account/account.ts';
import type { Mode } from '../../ledger/book/book.ts';
import type { Refusal } from '../../ledger/command/command.ts';
import { endToEndId } from '../../outside/instructions/end-to-end-id.ts';
import { failpoint } from '../../process/failpoints.ts';
import type { Rails } from '../../rails/rails.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import type { FeeSetting } from '../destinations/destination.ts';
import { feeSettingOf } from '../destinations/destinations.ts';
import { CARD_PARAM, isRefusal } from '../destinations/find-card.ts';
import { refuseAlone } from '../limits/count-payout.ts';
import { payees } from '../payees/payee-table.ts';
import {
  PAYEE_PARAM,
  type PayoutDestinationInput,
  type PlacedDestination,
  type PlaceRuntime,
  placeDestination,
} from '../payout/place-destination.ts';
import { refuseOffered } from '../payout/refuse-offered.ts';
import { routePlaced } from '../payout/route-placed.ts';
import { type RoutingRuntime, refuseRoute } from '../routing/route-payout.ts';
import type { BatchTotal } from './batch.ts';
import type { BatchFaults, UploadFault } from './batch-faults.ts';
import { type BatchItem, sealContent } from './batch-item.ts';
import { insertItems } from './batch-item-store.ts';

/** A payout as an item asks for it. */
export interface ItemRequest {
  readonly amount: bigint;
  readonly currency: string;
  readonly destination: PayoutDestinationInput;
  readonly accountId?: Uuid | undefined;
  readonly description: string | null;
  readonly remittance: string | null;
  readonly purposeCode: string | null;
  readonly externalId: string | null;
  readonly metadata: Record<string, string>;
}

export type UploadedItem = { readonly asked: ItemRequest } | { readonly faults: readonly UploadFault[] };

export interface UploadItemsRuntime extends PlaceRuntime, RoutingRuntime {
  readonly rails: Pick<Rails, 'carrying' | 'all' | 'get'>;
  readonly pool: Pool;
  readonly config: Pick<Config, FeeSetting>;
}

interface UploadOf {
  readonly bookId: Uuid;
  readonly mode: Mode;
  readonly batchId: Uuid;
  /** Ids at rails derive from it. */
  readonly key: string;
}

/** What items take from an account; null for the batch's account of the currency. */
interface Need {
  readonly accountId: Uuid | null;
  readonly currency: string;
  readonly amount: bigint;
  /** That name the account; of those that name none the first. */
  readonly rows: number[];
}

/** An item that goes to an account of the book. */
interface Target {
  readonly row: number;
  readonly targetId: Uuid;
  readonly accountId: Uuid | null;
  readonly currency: string;
}

/** Rows of one statement. */
const PAGE_ITEMS = 100;

export class UploadItems {
  read = 0;
  hasNewPayee = false;
  configuration: string | null = null;
  readonly #runtime: UploadItemsRuntime;
  readonly #of: UploadOf;
  readonly #how: { faults: BatchFaults; isKept: boolean; placeOf(row: number, param: string): string };
  readonly #needs = new Map<string, Need>();
  readonly #totals = new Map<string, BatchTotal>();
  readonly #rails = new Set<string>();
  readonly #targets: Target[] = [];
  /** By payee: the destination that was approved. */
  readonly #approved = new Map<Uuid, number | null>();
  readonly #firstRows = new Map<Uuid, number>();
  /** One-time tokens that items of this upload use up. */
  readonly #used = new Set<string>();
  #page: BatchItem[] = [];

  constructor(
    runtime: UploadItemsRuntime,
    of: UploadOf,
    how: { faults: BatchFaults; isKept: boolean; placeOf(row: number, param: string): string },
  ) {
    this.#runtime = runtime;
    this.#of = of;
    this.#how = how;
  }

  get needs(): readonly Need[] {
    return [...this.#needs.values()];
  }

  get totals(): readonly BatchTotal[] {
    return [...this.#totals.values()];
  }

  get rails(): readonly string[] {
    return [...this.#rails];
  }

  nameAccount(accountId: Uuid, row: number): void {
    if (!this.#firstRows.has(accountId)) this.#firstRows.set(accountId, row);
  }

  placeOfAccount(accountId: Uuid): string {
    return this.#how.placeOf(this.#firstRows.get(accountId)!, '/account');
  }

  async add(items: readonly UploadedItem[]): Promise<void> {
    for (const item of items) {
      this.read++;
      if ('faults' in item) for (const fault of item.faults) this.#how.faults.add(fault);
      else await this.#place(item.asked, this.read);
    }
    if (this.#page.length >= PAGE_ITEMS) await this.flush();
  }

  /** Keeps what is not kept yet. Nothing is kept once something is wrong. */
  async flush(): Promise<void> {
    const page = this.#page;
    this.#page = [];
    if (page.length === 0 || !this.#how.isKept || this.#how.faults.any) return;
    await insertItems(this.#runtime.pool, this.#of.bookId, page);
    failpoint('payout_batch.page.kept');
  }

  async #place(asked: ItemRequest, row: number): Promise<void> {
    const { bookId, mode } = this.#of;
    const payoutId = newId();
    const { amount, currency, remittance } = asked;
    const of = { bookId, mode, payoutId, amount, currency };
    const placed = await placeDestination(this.#runtime, of, asked.destination);
    if (isRefusal(placed)) return this.refuse(row, placed);
    const routing = routePlaced(this.#runtime, { ...asked, mode }, placed);
    const { rail } = routing;
    if (rail === null) return this.refuse(row, refuseRoute(routing.noRoute));
    const refusal =
      refuseAlone({ amount, currency, limits: routing.limits }) ??
      refuseOffered(this.#runtime, of, { placed: { ...placed, rail }, amount, currency, remittance }) ??
      this.#judgeCard(placed) ??
      (await this.#judgePayee(placed));
    if (refusal) return this.refuse(row, refusal);
    const setting = this.#runtime.config[feeSettingOf(placed.destination.type)];
    const fee = feeOf(amount, routing.fee ?? proportionalFee(BigInt(setting)));
    this.configuration = routing.configuration;
    this.#rails.add(rail);
    this.#count(asked, fee, row);
    if (placed.destination.type === 'account')
      this.#targets.push({
        row,
        targetId: placed.destination.accountId,
        accountId: asked.accountId ?? null,
        currency,
      });
    this.#keep(asked, { placed, payoutId, rail, fee, row });
  }

  /** A card that takes nothing now, and a one-time token that an item above uses up. */
  #judgeCard({ card, payee }: PlacedDestination): Refusal | undefined {
    if (!card) return undefined;
    const param = payee ? PAYEE_PARAM : CARD_PARAM;
    if (card.unusable) return { ...card.unusable, param };
    if (card.isReusable) return undefined;
    const token = `${card.issuedBy} ${card.token}`;
    if (this.#used.has(token))
      return { refused: 'token_invalid', param, detail: 'The token is one-time, and another item uses it.' };
    this.#used.add(token);
    return undefined;
  }

  /** A disabled payee takes nothing. A destination that is no payee's is always new, and an account of the book never. */
  async #judgePayee({ payee, destination }: PlacedDestination): Promise<Refusal | undefined> {
    if (!payee) {
      this.hasNewPayee ||= destination.type !== 'account';
      return undefined;
    }
    if (!this.#approved.has(payee.id)) {
      const known = await payees.find(this.#runtime.pool, this.#of.bookId, payee.id);
      if (known?.status === 'disabled')
        return {
          refused: 'destination_invalid',
          param: PAYEE_PARAM,
          detail: `The payee is disabled (${known.disabledReason}). Enable it, or name another one.`,
        };
      this.#approved.set(payee.id, known?.approvedVersion ?? null);
    }
    this.hasNewPayee ||= destination.type !== 'account' && this.#approved.get(payee.id) !== payee.version;
    return undefined;
  }

  refuse(row: number, { refused, param = '', detail, facts }: Refusal): void {
    const { faults, placeOf } = this.#how;
    faults.add({ code: refused, param: placeOf(row, param), detail: detail ?? `${ERRORS[refused].title}.`, facts });
  }

  #count({ accountId: named, currency, amount }: ItemRequest, fee: bigint, row: number) {
    const accountId = named ?? null;
    const name = `${accountId ?? ''} ${currency}`;
    const need = this.#needs.get(name) ?? { accountId, currency, amount: 0n, rows: [] };
    if (accountId !== null || need.rows.length === 0) need.rows.push(row);
    this.#needs.set(name, { ...need, amount: need.amount + amount + fee });
    const total = this.#totals.get(currency) ?? { currency, amount: 0n, fee: 0n };
    this.#totals.set(currency, { currency, amount: total.amount + amount, fee: total.fee + fee });
  }

  #keep(
    asked: ItemRequest,
    {
      placed,
      payoutId,
      rail,
      fee,
      row,
    }: { placed: PlacedDestination; payoutId: Uuid; rail: string; fee: bigint; row: number },
  ): void {
    const { faults, isKept } = this.#how;
    if (!isKept || faults.any) return;
    const { bookId, batchId, key } = this.#of;
    const { description, remittance, purposeCode, metadata } = asked;
    const { destination, payee = null } = placed;
    const content = { destination, payee, rail, description, remittance, purposeCode, metadata };
    this.#page.push({
      payoutId,
      batchId,
      rowNumber: row,
      accountId: asked.accountId ?? null,
      amount: asked.amount,
      fee,
      currency: asked.currency,
      externalId: asked.externalId,
      // No Idempotency-Key has a space: no single payout has the same id.
      endToEndId: endToEndId(bookId, `${key} ${row}`),
      contentSealed: sealContent(this.#runtime.secretBox, { bookId, payoutId }, content),
    });
  }

  /** Accounts of the book that items go to. `accountOf`: the account that items leave which name none, by currency. */
  async judgeTargets(
    accountOf: ReadonlyMap<string, Uuid>,
    load: (ids: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, Account>>,
  ): Promise<void> {
    const found = await load([...new Set(this.#targets.map(({ targetId }) => targetId))]);
    for (const { row, targetId, accountId, currency } of this.#targets) {
      const refusal = refuseTarget(found.get(targetId), { accountId: accountId ?? accountOf.get(currency)!, currency });
      if (refusal) this.refuse(row, { ...refusal, param: '/destination/account' });
    }
  }
}

function refuseTarget(
  target: Account | undefined,
  { accountId, currency }: { accountId: Uuid; currency: string },
): Refusal | undefined {
  if (target?.code !== 'customer')
    return { refused: 'resource_not_found', detail: 'There is no such account in this book.' };
  if (target.id === accountId)
    return { refused: 'destination_invalid', detail: 'The destination is the account that pays.' };
  if (target.status === 'closed')
    return { refused: 'account_closed', detail: 'The account that is to be paid is closed.' };
  if (target.currency === currency) return undefined;
  return {
    refused: 'currency_mismatch',
    detail: `The destination account is kept in ${target.currency}.`,
    facts: { account_currency: target.currency },
  };
}
