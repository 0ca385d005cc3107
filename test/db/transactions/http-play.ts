/**
 * Plays a golden scenario over HTTP: a book of its own, a card, and what each row leaves, as the scenarios write it. What clears may come by
 * file instead.
 */

import { type ClearingFields, clearingCsv } from '../../../scripts/harness/clearing-file.ts';
import {
  type Answer,
  type Client,
  type Event,
  type List,
  type Problem,
  succeeded,
} from '../../../scripts/harness/client.ts';
import type { Pool } from '../../../src/db/pool.ts';
import type { FeeSchedule } from '../../../src/fees/fee-schedule.ts';
import type { Incoming, MerchantAmount } from '../../../src/transactions/message/message.ts';
import { parsePublicId } from '../../../src/values/ids.ts';
import { type Card, type Controls, makeCard } from '../../support/cards.ts';
import {
  advanceClock,
  MERCHANT,
  messagesOf,
  purchase,
  readTransaction,
  type Transaction,
  type TransactionDispute,
  type TransactionEvent,
  tell,
} from '../../support/purchases.ts';
import { GoldenPlay } from '../../unit/transactions/golden/play.ts';
import { type Action, rowName, type Scenario } from '../../unit/transactions/golden/scenario.ts';
import type { Said } from '../../unit/transactions/messages.ts';

const LETTERS: Record<string, string> = { customer: 'C', scheme_settlement: 'S', due_operator: 'D', pool: 'P' };
/** What the scenarios say in words of the card itself. */
const CARDS: Readonly<Record<string, string>> = { G09: 'freeze', G28: 'close' };
/** Shows what purchases use up of every limit without a filter, and declines none. */
const UNLIMITED = [{ window: 'all_time', amount: Number.MAX_SAFE_INTEGER, count: 1_000 }];
/** The days of an authorization of every other category (cards-scenarios.md). */
const EXPIRES_AFTER = 'P7D';

interface Sent {
  readonly path: string;
  readonly body: object;
  readonly answer: Answer<Transaction>;
}

/** The book that a scenario is played in. */
export interface PlayIn {
  readonly client: Client;
  readonly pool: Pool;
  /** Answers with the id of the transaction of the network reference. */
  takeFile?(csvOf: (program: string) => string, networkReference: string): Promise<string>;
}

export class HttpPlay {
  readonly #client: Client;
  readonly #pool: Pool;
  readonly #mcc: string;
  readonly #purchases = new Map<string, string>();
  readonly #sent: (Sent | undefined)[] = [];
  /** Of the messages of the last row, oldest first, without what was announced of their accounts and disputes. */
  events: readonly string[] = [];
  #account = '';
  #card = '';
  #controls = '';
  #told = 0;
  #exceptions = 0;
  #dispute = '';
  #row = 0;
  /** Takes a clearing file in; undefined where every message is told over HTTP. */
  readonly #takeFile: PlayIn['takeFile'];

  private constructor({ client, pool, takeFile }: PlayIn, mcc: string) {
    this.#client = client;
    this.#pool = pool;
    this.#takeFile = takeFile;
    this.#mcc = mcc;
  }

  static async begin({ name, start = {} }: Scenario, playIn: PlayIn): Promise<HttpPlay> {
    const { client } = playIn;
    const { account: of = {}, mcc = '5411', fees = {}, holdsFuel = false, cash } = start;
    const play = new HttpPlay(playIn, mcc);
    const { posted = 100_000n, floor = 0n, held = 0n } = of;
    const overdraft = floor === 0n ? {} : { overdraft_limit: Number(-floor!) };
    const account = await client.openAccount({ currency: 'USD', funds: Number(posted), ...overdraft });
    play.#account = account.id;
    const program = {
      fees: {
        cash: feeOf(fees.cash),
        quasi_cash: feeOf(fees.quasiCash),
        foreign_currency: feeOf(fees.foreignCurrency),
      },
      ...(holdsFuel && { fuel: [{ currency: 'USD', amount: 10_000, status_check_max: 100 }] }),
    };
    succeeded(await client.patch('/v1/cards/program', program));
    const controls = { limits: UNLIMITED, ...(cash && { cash }) };
    const card: Card = await makeCard(client, { account: account.id, controls });
    play.#card = card.id;
    const inForce = await client.read<List<Controls>>(`/v1/cards/${card.id}/controls`);
    play.#controls = inForce.data[0]!.id;
    const becomes = CARDS[name.slice(0, 3)];
    if (becomes !== undefined) succeeded(await client.post(`/v1/cards/${card.id}/${becomes}`));
    if (held > 0n) await play.#buyElsewhere(Number(held));
    play.#told = (await play.#eventsSince(0)).at(-1)?.sequence ?? 0;
    return play;
  }

  async play(action: Action): Promise<string> {
    this.#row += 1;
    const shows = ('shows' in action && action.shows) || purchaseOf(action);
    const answer = await this.#happens(action);
    const events = await this.#eventsSince(this.#told);
    this.#told = events.at(-1)?.sequence ?? this.#told;
    this.events = events.map(({ type }) => type).filter((type) => type.startsWith('transaction.'));
    const { balance } = await this.#client.read<{ balance: { posted: number; available: number } }>(
      `/v1/accounts/${this.#account}`,
    );
    const shown = await readTransaction(this.#client, this.#purchases.get(shows)!);
    const { held, fee_held } = shown.amounts;
    const used = await this.#usedBy(shown);
    return [
      ...[answer, held, fee_held, balance.posted, balance.available, shown.status, used],
      ...[entriesOf(events) || '–', (await this.#remarks(action, { shown, events })) || '–'],
    ].join(' | ');
  }

  /** Of the counter of the card, less what its other purchases say: those of another card have a counter of their own. */
  async #usedBy(shown: Transaction): Promise<string> {
    const { limits } = await this.#client.read<Controls>(`/v1/cards/controls/${this.#controls}`);
    const usage = limits[0]!.usage!.find(({ currency }) => currency === 'USD');
    let [amount, count] = [usage?.amount?.used ?? 0, usage?.count?.used ?? 0];
    for (const id of new Set(this.#purchases.values())) {
      if (id === shown.id) continue;
      const { amounts } = await readTransaction(this.#client, id);
      const used = amounts.cleared + amounts.held;
      amount -= used;
      count -= used > 0 ? 1 : 0;
    }
    return `${amount}/${count}`;
  }

  /** By another card of the account. */
  async #buyElsewhere(amount: number): Promise<void> {
    const { id } = await makeCard(this.#client, { account: this.#account });
    await purchase(this.#client, { card: id, amount });
  }

  async #happens(action: Action): Promise<string> {
    if ('type' in action) return this.#says(action, 'first');
    if ('byHand' in action && action.byHand) return this.#expire();
    if ('says' in action) return this.#says(action.says, action.of ?? 'first');
    if ('again' in action) return this.#again(action);
    if ('accountIs' in action) return this.#change(action.accountIs);
    if ('settles' in action) {
      const { data } = await this.#succeed<List<{ net: number }>>('/v1/simulations/scheme_settlements', {});
      return `net ${data[0]!.net}`;
    }
    if ('ends' in action) return this.#end(action.ends);
    const opened = await this.#open('opens' in action ? action.opens : action.disputes);
    return 'opens' in action || opened !== 'opened' ? opened : this.#end('submitted');
  }

  /** By its id where it is there, in every second row. */
  async #says(says: Said, of: string): Promise<string> {
    const reference = rowName(this.#row);
    if (says.type === 'expiry') {
      await advanceClock(this.#client, { by: EXPIRES_AFTER });
      return 'expired';
    }
    const fields = lineOf(says, {
      messageReference: reference,
      networkReference: of,
      card: this.#card,
      mcc: this.#mcc,
    });
    if (this.#takeFile !== undefined && fields !== undefined) {
      this.#purchases.set(of, await this.#takeFile((program) => clearingCsv([{ ...fields, program }]), of));
      this.#sent[this.#row] = undefined;
      return this.#answerText(says);
    }
    const id = this.#row % 2 === 0 ? this.#purchases.get(of) : undefined;
    const { path, body } = this.#requestOf({ ...says, reference } as Incoming, { of, id });
    const answer = await this.#client.post<Transaction>(path, body);
    this.#sent[this.#row] = { path, body, answer };
    this.#purchases.set(of, succeeded(answer).id);
    return this.#answerText(says, answer.body);
  }

  async #expire(): Promise<string> {
    const answer = await tell(this.#client, this.#purchases.get('first')!, 'expire', {
      message_reference: rowName(this.#row),
    });
    return answer.status === 'expired' ? 'expired' : `left ${answer.status}`;
  }

  /** `transaction`: the answer. A file gets none. */
  async #answerText(says: Said, transaction?: Transaction): Promise<string> {
    if (says.type === 'authorization' || says.type === 'increment') {
      const { decision, decline_code, network_response_code, approved_amount } = transaction!;
      if (decision === 'declined') return `declined ${decline_code}, ${network_response_code}`;
      const isPart = approved_amount! < Number(says.amount) && says.merchant !== null;
      return `approved ${approved_amount}${isPart ? await this.#merchantPart(transaction!) : ''}, ${network_response_code}`;
    }
    if (says.type === 'clearing' || says.type === 'refund') return 'posted';
    if (!('reverses' in says)) return 'recorded';
    return this.#sent.some((_, row) => rowName(row) === says.reverses && row < this.#row) ? 'posted' : 'recorded';
  }

  /** What was approved in the merchant's currency: no answer shows it. */
  async #merchantPart({ id }: Transaction): Promise<string> {
    const { rows } = await this.#pool.query<{ amount: bigint; currency: string }>(
      `SELECT authorized_merchant_amount AS amount, authorized_merchant_currency AS currency FROM transaction_messages
       WHERE transaction_id = $1 AND reference = $2`,
      [parsePublicId('transaction', id), rowName(this.#row)],
    );
    return ` (${rows[0]!.amount} ${rows[0]!.currency})`;
  }

  #requestOf(message: Incoming, { of, id }: { of: string; id: string | undefined }): { path: string; body: object } {
    const named = { message_reference: message.reference };
    const about = { card: this.#card, merchant: { ...MERCHANT, mcc: this.#mcc }, entry_mode: 'chip' };
    const byReference = id === undefined ? { ...about, network_reference: of } : {};
    const path = (action: string, list: string) => `/v1/transactions/${id === undefined ? list : `${id}/${action}`}`;
    const currency = 'USD';
    switch (message.type) {
      case 'authorization': {
        const { amount, kind, form, cashback, isPartialAllowed, merchant } = message;
        return {
          path: '/v1/transactions',
          body: {
            ...about,
            ...named,
            ...{
              network_reference: of,
              amount: Number(amount),
              currency,
              kind,
              message: form,
              ...merchantOf(merchant),
            },
            ...(cashback > 0n && { cashback_amount: Number(cashback) }),
            ...(isPartialAllowed && { partial_approval_allowed: true }),
          },
        };
      }
      case 'increment':
        return {
          path: path('increment', 'increments'),
          body: {
            ...{ ...byReference, ...named, amount: Number(message.amount), ...merchantOf(message.merchant) },
            ...(message.isPartialAllowed && { partial_approval_allowed: true }),
          },
        };
      case 'advice': {
        const { reason, of: advised, isApproved, amount, kind, form, merchant } = message;
        const decision = isApproved ? 'approved' : 'declined';
        const advice = { reason, of: advised, decision, approved_amount: Number(amount) };
        return {
          path: '/v1/transactions/advices',
          body: {
            ...about,
            ...named,
            ...{ network_reference: of, currency, kind, message: form, ...merchantOf(merchant), advice },
          },
        };
      }
      case 'reversal':
        return {
          path: path('reverse', 'reversals'),
          body: {
            ...byReference,
            ...named,
            ...merchantOf(message.merchant),
            ...(message.amount !== null && { amount: Number(message.amount) }),
          },
        };
      case 'clearing': {
        const { amount, sequence, isFinal, kind, merchant } = message;
        return {
          path: path('clear', 'clearings'),
          body: {
            ...byReference,
            ...named,
            ...{ amount: Number(amount), currency, ...merchantOf(merchant) },
            ...(sequence && { sequence }),
            ...(isFinal !== null && { final: isFinal }),
            ...(kind && { kind }),
          },
        };
      }
      case 'refund':
        return {
          path: path('refund', 'refunds'),
          body: { ...byReference, ...named, amount: Number(message.amount), currency },
        };
      case 'clearing_reversal':
      case 'refund_reversal':
        return {
          path: path('reverse', 'reversals'),
          body: {
            ...byReference,
            ...named,
            reverses: message.reverses,
            ...(message.amount !== null && { amount: Number(message.amount) }),
          },
        };
      default:
        throw new Error(`Nobody sends ${message.type}`);
    }
  }

  async #again({ again, amount }: { again: number; amount?: bigint }): Promise<string> {
    const { path, body, answer: first } = this.#sent[again]!;
    const repeated = amount === undefined ? body : { ...body, amount: Number(amount) };
    const answer = await this.#client.post<Problem>(path, repeated);
    if (answer.status >= 400) {
      if ((answer.body as { resource?: string }).resource !== first.body.id) throw new Error('It names no purchase');
      return answer.body.code;
    }
    const isReplayed = answer.headers['idempotent-replayed'] === 'true' && answer.text === first.text;
    return isReplayed ? 'the first answer' : `another answer: ${answer.text}`;
  }

  async #change(status: string): Promise<string> {
    if (status === 'closed') await this.#succeed(`/v1/cards/${this.#card}/close`);
    await this.#succeed(`/v1/accounts/${this.#account}/${status === 'frozen' ? 'freeze' : 'close'}`);
    return status;
  }

  async #open(amount: bigint): Promise<string> {
    const path = `/v1/transactions/${this.#purchases.get('first')}/disputes`;
    const body = { amount: Number(amount), reason: 'product_not_received' };
    const { status, body: answer } = await this.#client.post<TransactionDispute | (Problem & { limit: number })>(
      path,
      body,
    );
    if (!('id' in answer)) return `${status} ${answer.code}, limit ${answer.limit}`;
    this.#dispute = `${path}/${answer.id}`;
    return 'opened';
  }

  async #end(status: 'submitted' | 'won' | 'lost' | 'withdrawn'): Promise<string> {
    const action = { submitted: 'submit', won: 'win', lost: 'lose', withdrawn: 'withdraw' }[status];
    const dispute = await this.#succeed<TransactionDispute>(`${this.#dispute}/${action}`);
    return dispute.status;
  }

  async #remarks(action: Action, { shown, events }: { shown: Transaction; events: readonly Event[] }): Promise<string> {
    const says = 'says' in action ? action.says : 'type' in action ? action : undefined;
    const exception = await this.#exception();
    // A dispute has no flags: its entry says what it left.
    const isBelow = events.some(({ journal_entries }) =>
      journal_entries.some(({ floor_overridden }) => floor_overridden),
    );
    if (says === undefined) return withException('ends' in action && isBelow ? ['below_floor'] : [], exception);
    const of = purchaseOf(action);
    const id = this.#purchases.get(of)!;
    const [message] = (await messagesOf(this.#client, id)) as [TransactionEvent];
    const { resembles, amounts } =
      of === 'first' || !('shows' in action) ? await readTransaction(this.#client, id) : shown;
    const differs = says.type === 'clearing' && amounts.fx_difference !== 0;
    const named = [...this.#purchases].find(([, known]) => known === resembles)?.[0];
    return withException(
      [
        ...message.flags,
        ...(differs ? [`fx_difference ${amounts.fx_difference}`] : []),
        ...(message.flags.includes('forced') && named ? [`resembles: ${named}`] : []),
      ],
      exception,
    );
  }

  /** The exception that the row has opened, if any: newest first. */
  async #exception(): Promise<string | undefined> {
    interface Opened {
      kind: string;
      waiting: { amount: number } | null;
    }
    const { data } = await this.#client.read<List<Opened>>('/v1/exceptions?limit=100');
    const opened = data.length - this.#exceptions;
    this.#exceptions = data.length;
    if (opened === 0) return undefined;
    if (opened > 1) throw new Error(`One row opens ${opened} exceptions`);
    const { kind, waiting } = data[0]!;
    return kind === 'refund_account_closed' ? `${kind} ${waiting?.amount ?? 0}` : kind;
  }

  async #eventsSince(sequence: number): Promise<Event[]> {
    const { data } = await this.#client.read<List<Event>>('/v1/events?limit=100');
    return data.filter((event) => event.sequence > sequence).toReversed();
  }

  async #succeed<Body>(path: string, body?: object): Promise<Body> {
    return succeeded(await this.#client.post<Body>(path, body));
  }
}

/** What each row leaves, with the names of its events. */
export async function playRows(play: HttpPlay, { rows }: Scenario): Promise<string[]> {
  const left: string[] = [];
  for (const [action] of rows) left.push(`${await play.play(action)} | ${play.events.join(', ')}`);
  return left;
}

/** As the scenario writes its rows; the events are those of the rule. */
export function expectedRows(scenario: Scenario): string[] {
  const play = new GoldenPlay(scenario);
  return scenario.rows.map(([action, expected]) => {
    const known = play.steps.length;
    play.play(action);
    const events = play.steps.slice(known).flatMap((step) => step.events.map(({ name }) => `transaction.${name}`));
    return `${expected} | ${events.join(', ')}`;
  });
}

/** What a file says as well. Its amounts are told, of reversals too. */
function lineOf(
  says: Said,
  {
    messageReference,
    networkReference,
    card,
    mcc,
  }: Record<'messageReference' | 'networkReference' | 'card' | 'mcc', string>,
): ClearingFields | undefined {
  const of = {
    message_reference: messageReference,
    network_reference: networkReference,
    card,
    mcc,
    merchant_name: 'Corner Shop',
  };
  switch (says.type) {
    case 'clearing': {
      const { type, amount, kind, sequence, isFinal, merchant } = says;
      const pieces = sequence === null ? {} : { sequence: `${sequence.number}/${sequence.count}` };
      return { ...of, type, amount, kind: kind ?? '', final: `${isFinal ?? ''}`, ...pieces, ...merchantOf(merchant) };
    }
    case 'refund':
      return { ...of, type: says.type, amount: says.amount, ...merchantOf(says.merchant) };
    case 'clearing_reversal':
    case 'refund_reversal':
      return says.amount === null
        ? undefined
        : { ...of, type: says.type, amount: says.amount, reverses: says.reverses };
    default:
      return undefined;
  }
}

/** An advice has an `of` of its own. */
function purchaseOf(action: Action): string {
  return 'says' in action ? (action.of ?? 'first') : 'first';
}

function withException(remarks: readonly string[], exception: string | undefined): string {
  if (exception === undefined) return remarks.join(', ');
  return [...(remarks.length === 0 ? [] : [remarks.join(', ')]), `exception ${exception}`].join('; ');
}

/** Each entry once: an exception may be told with the one that left it. */
function entriesOf(events: readonly Event[]): string {
  const entries = new Map(events.flatMap(({ journal_entries }) => journal_entries.map((entry) => [entry.id, entry])));
  return [...entries.values()]
    .flatMap(({ postings }) => postings)
    .map(({ debit, credit, amount }) => `${LETTERS[debit.code]}→${LETTERS[credit.code]} ${amount}`)
    .join('; ');
}

function merchantOf(merchant: MerchantAmount | null) {
  return merchant === null ? {} : { merchant_amount: Number(merchant.amount), merchant_currency: merchant.currency };
}

function feeOf(schedule: FeeSchedule | null | undefined) {
  if (!schedule) return null;
  const { fixed, basisPoints, minimum, maximum } = schedule;
  return {
    ...{ fixed: Number(fixed), basis_points: Number(basisPoints) },
    ...(minimum !== null && { minimum: Number(minimum) }),
    ...(maximum !== null && { maximum: Number(maximum) }),
  };
}
