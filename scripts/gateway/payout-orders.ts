/**
 * The reference gateway as a rail: payouts, in memory. It plays a partner, so it shares no rule with the product but the magic
 * aliases and the contract's readers.
 */
import { randomUUID } from 'node:crypto';
import { PAYEE_CHANGED, railCodeOf } from '../../src/rails/failure-codes.ts';
import type { InstructedDestination } from '../../src/rails/rail.ts';
import { type Script, scriptFor } from '../../src/rails/sandbox-aliases.ts';
import { hasMoved } from '../../src/rails/sandbox-lookup.ts';
import { keyOf } from './records.ts';

export interface PayoutOrder {
  readonly originator: string;
  readonly reference: string;
  readonly railReference: string;
  readonly amount: bigint;
  readonly currency: string;
  /** What travels with the money. */
  readonly remittance: string | null;
  readonly purposeCode: string | null;
  status: 'paid' | 'rejected' | 'pending';
  code: string | null;
  /** How often money has left for the payee: once at most. */
  movements: number;
  /** Whether the connection breaks before the answer. */
  readonly isAnswered: boolean;
  /** What was confirmed wrongly, as its alias asks. */
  readonly confirmsWrong: Script['confirmsWrong'];
}

export interface GivenPayout {
  readonly originator: string;
  readonly reference: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly destination: InstructedDestination;
  readonly account: string | null;
  readonly remittance: string | null;
  readonly purposeCode: string | null;
  readonly notAfter: number;
}

/** A notice before it is signed, as the contract names its members. */
export interface PayoutNotice {
  readonly originator: string;
  readonly reference: string;
  readonly kind: 'paid' | 'rejected' | 'returned';
  readonly amount: bigint | null;
  readonly code: string | null;
  readonly rail_reference: string;
  readonly confirmed: { readonly amount: bigint; readonly currency: string };
}

/** ISO 20022: received after the latest acceptance time. */
const TOO_LATE = 'TM01';

export class PayoutOrders {
  readonly #orders = new Map<string, PayoutOrder>();
  readonly #notify: (notice: PayoutNotice) => void;

  constructor({ notify }: { notify: (notice: PayoutNotice) => void }) {
    this.#notify = notify;
  }

  find(originator: string, reference: string): PayoutOrder | undefined {
    return this.#orders.get(keyOf(originator, reference));
  }

  submit(given: GivenPayout): PayoutOrder {
    const known = this.find(given.originator, given.reference);
    if (known) return known;
    const { originator, reference, amount, currency, remittance, purposeCode } = given;
    const script = scriptFor(given.destination);
    const { status, code } = outcomeOf(given, script);
    const order: PayoutOrder = {
      ...{ originator, reference, amount, currency, remittance, purposeCode, status, code },
      railReference: `GWR${randomUUID().replaceAll('-', '').slice(0, 22).toUpperCase()}`,
      movements: status === 'paid' ? 1 : 0,
      isAnswered: !script.breaksOff,
      confirmsWrong: script.confirmsWrong,
    };
    this.#orders.set(keyOf(originator, reference), order);
    if (status === 'paid' && script.returned) this.giveBack(order, script.returned(amount));
    return order;
  }

  /** The order is decided, late or anew, and the product is notified. */
  decide(order: PayoutOrder, status: 'paid' | 'rejected', code: string = railCodeOf('refused_by_payee')): void {
    Object.assign(order, { status, code: status === 'rejected' ? code : null });
    order.movements = status === 'paid' ? 1 : 0;
    this.#reportOf(order, { kind: status, amount: null });
  }

  giveBack(order: PayoutOrder, amount: bigint, code = railCodeOf('refused_by_payee')): void {
    this.#reportOf(order, { kind: 'returned', amount, code });
  }

  #reportOf(order: PayoutOrder, report: Pick<PayoutNotice, 'kind' | 'amount'> & { code?: string }): void {
    const { originator, reference, amount, currency, railReference: rail_reference } = order;
    const confirmed = { amount, currency };
    this.#notify({ originator, reference, rail_reference, confirmed, ...report, code: report.code ?? order.code });
  }
}

function outcomeOf(given: GivenPayout, script: Script): Pick<PayoutOrder, 'status' | 'code'> {
  if (Date.now() > given.notAfter) return { status: 'rejected', code: TOO_LATE };
  if (hasMoved(given.destination, script, given.account)) return { status: 'rejected', code: PAYEE_CHANGED };
  return { status: script.status, code: script.code ?? null };
}
