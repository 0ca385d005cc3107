/** Plays a golden scenario against the pure core: an account, its purchases by name, and what each row leaves. */
import { type Decision, decide } from '../../../../src/cards/decision/decide.ts';
import { defaultProgram, type Program } from '../../../../src/cards/program/program.ts';
import { tolerancePercentOf } from '../../../../src/cards/program/program-terms.ts';
import type { AccountFacts } from '../../../../src/transactions/booking/account-step.ts';
import type { BookRole, RolePosting } from '../../../../src/transactions/booking/book-posting.ts';
import { type Dispute, maximumDisputed } from '../../../../src/transactions/disputes/dispute.ts';
import {
  type DisputeStep,
  endDispute,
  openDispute,
  submitDispute,
} from '../../../../src/transactions/disputes/dispute-step.ts';
import {
  type DecidedRequest,
  type Incoming,
  isRepeatOf,
  isUndecided,
  type Message,
} from '../../../../src/transactions/message/message.ts';
import { decideRequest } from '../../../../src/transactions/purchase/decide-request.ts';
import { purchaseSchedules } from '../../../../src/transactions/purchase/purchase-fee.ts';
import { purchaseRule } from '../../../../src/transactions/purchase/purchase-rule.ts';
import { type Purchase, type PurchaseTerms, stateOf } from '../../../../src/transactions/purchase/purchase-state.ts';
import type { OpenPurchase } from '../../../../src/transactions/purchase/resembling.ts';
import { type MessageStep, takeMessage } from '../../../../src/transactions/purchase/take-message.ts';
import { settleNet } from '../../../../src/transactions/settlements/settle.ts';
import { evaluated, factsOf, inputOf, newPurchase, requestOf, scopesOf } from '../../cards/decision-values.ts';
import type { Said } from '../messages.ts';
import { type Action, type OtherAction, rowName, type Scenario } from './scenario.ts';

/** All that a row says of what has just happened. */
interface Happened {
  readonly answer: string;
  readonly postings?: readonly RolePosting[];
  readonly remarks?: string;
  readonly shows?: string;
}

const FUEL = [{ currency: 'USD', amount: 10_000n, statusCheckMax: 100n }];
const LETTERS: Record<BookRole, string> = { customer: 'C', scheme_settlement: 'S', due_operator: 'D', pool: 'P' };

/** The line that an entry is in a settlement. */
function settlementLine(postings: readonly RolePosting[]): bigint {
  return postings.reduce((sum, { debit, credit, amount }) => {
    if (credit === 'scheme_settlement') return sum + amount;
    return debit === 'scheme_settlement' ? sum - amount : sum;
  }, 0n);
}

export class GoldenPlay {
  /** Of the chart, as the customers see it: what is theirs is in the pool. */
  readonly balances: Record<BookRole, bigint>;
  readonly steps: MessageStep[] = [];
  #account: AccountFacts;
  readonly #terms: PurchaseTerms;
  readonly #program: Program;
  readonly #cash: 'block' | null;
  readonly #purchases = new Map<string, Purchase>();
  readonly #lines: bigint[] = [];
  #row = 0;

  constructor({ start = {} }: Scenario) {
    const { account, mcc = '5411', fees, holdsFuel = false, cash = null } = start;
    this.#account = { status: 'open', posted: 100_000n, held: 0n, floor: 0n, ...account };
    this.#program = { ...defaultProgram('UTC'), fuel: holdsFuel ? FUEL : [] };
    this.#cash = cash;
    this.#terms = {
      ...{ currency: 'USD', mcc, tolerancePercent: tolerancePercentOf(this.#program, mcc) },
      fees: { cash: null, quasiCash: null, foreignCurrency: null, ...fees },
    };
    this.balances = {
      customer: this.#account.posted,
      scheme_settlement: 0n,
      due_operator: 0n,
      pool: this.#account.posted,
    };
  }

  /** The row that the action leaves, as the scenarios write it. */
  play(action: Action): string {
    this.#row += 1;
    const { answer, postings = [], remarks = '', shows = 'first' } = this.#happens(action);
    for (const posting of postings) this.#book(posting);
    const { amounts, status, used } = stateOf(this.#purchase(shows));
    const { posted, held } = this.#account;
    const entries = postings.map(({ debit, credit, amount }) => `${LETTERS[debit]}→${LETTERS[credit]} ${amount}`);
    return [
      ...[answer, amounts.held, amounts.feeHeld, posted, posted - held, status, `${used.amount}/${used.count}`],
      ...[entries.join('; ') || '–', remarks || '–'],
    ].join(' | ');
  }

  #purchase(name: string): Purchase {
    return this.#purchases.get(name) ?? { messages: [], disputes: [], terms: this.#terms };
  }

  /** The pool is an asset: a credit takes from it. */
  #book({ debit, credit, amount }: RolePosting): void {
    this.balances[debit] += debit === 'pool' ? amount : -amount;
    this.balances[credit] += credit === 'pool' ? -amount : amount;
  }

  #happens(action: Action): Happened {
    if ('type' in action) return this.#says({ says: action });
    if ('says' in action) return this.#says(action);
    if ('again' in action) return this.#again(action);
    if ('accountIs' in action) {
      this.#account = { ...this.#account, status: action.accountIs };
      return { answer: action.accountIs };
    }
    if ('settles' in action) {
      const { net, postings } = settleNet(this.#lines.splice(0));
      return { answer: `net ${net}`, postings };
    }
    return this.#disputes(action);
  }

  #says({ says, of = 'first', shows = of }: Extract<OtherAction, { says: Said }>): Happened {
    const purchase = this.#purchase(of);
    const incoming = { ...says, reference: rowName(this.#row) } as Incoming;
    const { message, decision } = this.#decide(purchase, incoming);
    const step = takeMessage(purchase, message, {
      account: this.#account,
      isUnlisted: false,
      lookalike: message.type === 'clearing' ? { ...CARD_AND_MERCHANT, ...message } : null,
      openPurchases: this.#openPurchases(of),
    });
    this.steps.push(step);
    this.#purchases.set(of, { ...purchase, messages: [...purchase.messages, message], disputes: step.disputes });
    this.#account = { ...this.#account, posted: step.account.posted, held: step.account.held };
    this.#lines.push(...step.entries.map(({ postings }) => settlementLine(postings)));
    return {
      answer: decision === null ? step.result : answerText(decision, message as DecidedRequest),
      postings: step.entries.flatMap(({ postings }) => postings),
      remarks: remarksOf(message, step),
      shows,
    };
  }

  /** By the rules of a card that is active, its account, and controls that say something about cash at most. */
  #decide(purchase: Purchase, incoming: Incoming): { message: Message; decision: Decision | null } {
    if (!isUndecided(incoming)) return { message: incoming, decision: null };
    const state = stateOf(purchase);
    const { type: message, form, kind, amount, cashback: cashbackAmount, isPartialAllowed } = incoming;
    const facts = factsOf({ kind, mcc: this.#terms.mcc });
    const asked = { message, form, facts, amount, cashbackAmount, partialApprovalAllowed: isPartialAllowed };
    const decision = decide(
      inputOf({
        request: requestOf(asked),
        account: { ...this.#account, currency: 'USD' },
        program: this.#program,
        scopes: scopesOf({ program: { active: evaluated({ cash: this.#cash }) } }),
        purchase: {
          ...newPurchase(),
          refusal: purchaseRule(state, incoming),
          used: state.used.amount,
          charged: state.amounts.fee + state.amounts.feeHeld,
          fees: purchaseSchedules([...purchase.messages, incoming], this.#terms),
        },
      }),
    );
    return { message: decideRequest(incoming, decision), decision };
  }

  #openPurchases(except: string): OpenPurchase[] {
    const others = [...this.#purchases].filter(([name]) => name !== except);
    return others
      .map(([name, purchase]) => ({ transactionId: name, amount: stateOf(purchase).amounts.held }))
      .filter(({ amount }) => amount > 0n)
      .map((open) => ({ ...CARD_AND_MERCHANT, merchant: null, ...open }));
  }

  #again({ again, amount }: { again: number; amount?: bigint }): Happened {
    const known = this.#purchase('first').messages.find(({ reference }) => reference === rowName(again))!;
    const { decision: _, ...said } = known as Message & { decision: unknown };
    const repeated = { ...said, ...(amount !== undefined && { amount }) } as Incoming;
    return { answer: isRepeatOf(known, repeated) ? 'the first answer' : 'idempotency_key_reused' };
  }

  #disputes(action: Extract<OtherAction, { opens: bigint } | { disputes: bigint } | { ends: unknown }>): Happened {
    const purchase = this.#purchase('first');
    const { amounts } = stateOf(purchase);
    if ('ends' in action) return this.#end(purchase.disputes.at(-1)!, action.ends);
    const amount = 'opens' in action ? action.opens : action.disputes;
    const opened = openDispute({ id: rowName(this.#row), amount }, amounts, purchase.disputes);
    if ('refused' in opened) return { answer: `422 ${opened.refused}, limit ${opened.limit}` };
    expectWithin(amount, maximumDisputed(amounts, purchase.disputes));
    this.#purchases.set('first', { ...purchase, disputes: [...purchase.disputes, opened] });
    return 'opens' in action ? { answer: 'opened' } : this.#end(opened, 'submitted');
  }

  #end(dispute: Dispute, status: 'submitted' | 'won' | 'lost' | 'withdrawn'): Happened {
    const purchase = this.#purchase('first');
    const { amounts } = stateOf(purchase);
    const { disputes } = purchase;
    const account = this.#account;
    const step: DisputeStep =
      status === 'submitted'
        ? submitDispute(dispute, { standing: amounts, disputes, account })
        : endDispute(dispute, { status, account });
    const changed = disputes.map((known) => (known.id === dispute.id ? step.dispute : known));
    this.#purchases.set('first', { ...purchase, disputes: changed });
    this.#account = { ...account, posted: step.account.posted };
    if (step.postings.length > 0) this.#lines.push(settlementLine(step.postings));
    return { answer: status, postings: step.postings, remarks: remarksText(step.flags, step.exception) };
  }
}

const CARD_AND_MERCHANT = { cardId: 'card', merchantId: 'merchant' };

function expectWithin(amount: bigint, most: bigint): void {
  if (amount > most) throw new RangeError(`${amount} of ${most} would be disputed`);
}

function answerText(decision: Decision, { amount, decision: decided }: DecidedRequest): string {
  const { declineCode, networkResponseCode, approvedAmount } = decision;
  if (!decided.isApproved) return `declined ${declineCode}, ${networkResponseCode}`;
  const isPart = approvedAmount < amount && decided.merchant !== null;
  const merchant = isPart ? ` (${decided.merchant.amount} ${decided.merchant.currency})` : '';
  return `approved ${approvedAmount}${merchant}, ${networkResponseCode}`;
}

function remarksOf(message: Message, { flags, after, exception, resembles }: MessageStep): string {
  const { fxDifference } = after.amounts;
  const differs = message.type === 'clearing' && fxDifference !== 0n ? [`fx_difference ${fxDifference}`] : [];
  const alike = resembles === null ? [] : [`resembles: ${resembles}`];
  return remarksText([...flags, ...differs, ...alike], exception);
}

function remarksText(remarks: readonly string[], exception: { kind: string; movable?: bigint } | null): string {
  if (exception === null) return remarks.join(', ');
  const movable = exception.movable === undefined ? '' : ` ${exception.movable}`;
  return [...(remarks.length === 0 ? [] : [remarks.join(', ')]), `exception ${exception.kind}${movable}`].join('; ');
}
