/** Credits of the reference gateway: money that arrives on its account and that it reports. In memory. */
import { randomUUID } from 'node:crypto';
import { amountOrNull, currencyOrNull, NotOfContract, readObject } from '../../src/outside/gateway/fields.ts';
import type { CallAnswer } from './calls.ts';

/** A notice before it is signed, as the contract names its members. */
export interface CreditNotice {
  readonly kind: 'credit';
  readonly amount: bigint;
  readonly currency: string;
  readonly bank_account: string;
  readonly bank_reference: string | null;
  readonly remittance: readonly string[];
  readonly end_to_end_id: string | null;
  readonly payer_name_masked: string | null;
  readonly payer_account_ending: string | null;
  readonly value_on: string | null;
  readonly booked_on: string | null;
}

/** Where a person plays a payer: not signed, and on this machine alone, as all of the gateway is. */
export const CREDITS_PATH = '/plays/credits';

const BANK_ACCOUNT = 'JO71CHGW0000000000000000000001';

export class Credits {
  readonly #notify: (notice: CreditNotice) => void;

  constructor({ notify }: { notify: (notice: CreditNotice) => void }) {
    this.#notify = notify;
  }

  /** A credit arrives. What is not given is as a bank has it: a reference of its own, and a payer. */
  arrive(given: Partial<CreditNotice> & Pick<CreditNotice, 'amount' | 'currency'>): CreditNotice {
    const today = new Date().toISOString().slice(0, 10);
    const credit: CreditNotice = {
      kind: 'credit',
      bank_account: BANK_ACCOUNT,
      bank_reference: `GWC${randomUUID().replaceAll('-', '').slice(0, 22).toUpperCase()}`,
      remittance: [],
      end_to_end_id: null,
      payer_name_masked: 'J*** H***',
      payer_account_ending: '0302',
      value_on: today,
      booked_on: today,
      ...given,
    };
    this.#notify(credit);
    return credit;
  }
}

/** `{amount, currency, remittance}`: of a person at this machine. */
export function playCredit(credits: Credits, text: string): CallAnswer {
  try {
    const body = readObject(text);
    const amount = amountOrNull(body, 'amount');
    const currency = currencyOrNull(body, 'currency');
    const { remittance = '' } = body;
    if (amount === null || currency === null || typeof remittance !== 'string')
      throw new NotOfContract(
        'Expects amount, currency and remittance, such as {"amount": 50000, "currency": "JOD", "remittance": "RF18 …"}',
      );
    return {
      status: 202,
      body: credits.arrive({ amount, currency, remittance: remittance === '' ? [] : [remittance] }),
    };
  } catch (error) {
    if (!(error instanceof NotOfContract)) throw error;
    return { status: 400, body: { code: 'not_of_contract', detail: error.message } };
  }
}
