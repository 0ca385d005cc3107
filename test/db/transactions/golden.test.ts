/**
 * Every golden scenario of a purchase, row by row, over HTTP against Postgres: answer, hold, fee, balance, status, usage, entries, flags and
 * exceptions, and the names of its events. Each has a book of its own, which verify looks at in the end.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { Product } from '../../support/product.ts';
import { ACCOUNTS } from '../../unit/transactions/golden/accounts.ts';
import { CREDITS } from '../../unit/transactions/golden/credits.ts';
import { CURRENCIES_FEES_AND_CASH } from '../../unit/transactions/golden/currencies-fees-and-cash.ts';
import { DISPUTES_AND_SETTLEMENT } from '../../unit/transactions/golden/disputes-and-settlement.ts';
import { FURTHER_CLEARINGS } from '../../unit/transactions/golden/further-clearings.ts';
import { FURTHER_CREDITS } from '../../unit/transactions/golden/further-credits.ts';
import { FURTHER_REQUESTS } from '../../unit/transactions/golden/further-requests.ts';
import { ONE_PURCHASE } from '../../unit/transactions/golden/one-purchase.ts';
import { ORDER_AND_REPEATS } from '../../unit/transactions/golden/order-and-repeats.ts';
import { SEVERAL_CLEARINGS } from '../../unit/transactions/golden/several-clearings.ts';
import { expectedRows, HttpPlay, playRows } from './http-play.ts';

/** Of the further rows those whose holds, entries and fees the rule alone does not show: the others are played against it alone. */
const FURTHER = [
  ...['a part of an increment', 'a fee with a minimum and a maximum', 'a single message by stand-in'],
  ...['the completion comes first', 'a reversal that names a single message', 'a clearing in euro reversed'],
  ...['a non-final clearing reversed and presented again', 'one of what is left', 'a part taken back before it comes'],
  ...['a clearing reversed on a closed account', 'a dispute of a part that cleared'],
  'a credit that is posted at once takes back what a dispute has credited, as a refund does',
  'more is credited at once than stands cleared',
  'a message that brings a fee along is charged for all that came before it',
  'beside a completion nothing more is approved, and an advice is recorded',
  ...['fees are not settled with the scheme', 'verified, bought and reversed', 'markup half to even'],
  ...['a merchant amount of 0 measures nothing', 'a part that is worth nothing to the merchant holds all the same'],
];

const SECTIONS = {
  'one purchase': ONE_PURCHASE,
  'order, repeats, contradictions': ORDER_AND_REPEATS,
  'fuel, travel, several clearings': SEVERAL_CLEARINGS,
  'currencies, fees, cash': CURRENCIES_FEES_AND_CASH,
  credits: CREDITS,
  'disputes and settlement': DISPUTES_AND_SETTLEMENT,
  accounts: ACCOUNTS,
  'further rows': furtherRows(),
};

function furtherRows() {
  const all = [...FURTHER_REQUESTS, ...FURTHER_CLEARINGS, ...FURTHER_CREDITS];
  return FURTHER.map((name) => {
    const found = all.find((scenario) => scenario.name === name);
    if (found === undefined) throw new Error(`No scenario is called ${name}`);
    return found;
  });
}

let product: Product;

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(() => product?.close());

describe.each(Object.entries(SECTIONS))('%s', (_, scenarios) => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    const { client, keys } = await product.organisation();
    const { pool } = product.runtime;
    const play = await HttpPlay.begin(scenario, { client, pool });
    expect(await playRows(play, scenario)).toEqual(expectedRows(scenario));
    expect(await findingsOf({ pool, id: keys.testBookId })).toEqual([]);
  });
});
