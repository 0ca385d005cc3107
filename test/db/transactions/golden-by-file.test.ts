/**
 * The golden scenarios in which something clears, is refunded or taken back, with these messages told by clearing files of one line each:
 * what every row leaves is the same as over HTTP.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { purchaseId } from '../../../src/transactions/purchase/purchase-id.ts';
import { publicId } from '../../../src/values/ids.ts';
import { ClearingFiles } from '../../support/clearing-files.ts';
import { startContracted } from '../../support/contracted.ts';
import { findingsOf } from '../../support/findings.ts';
import type { Product } from '../../support/product.ts';
import { ACCOUNTS } from '../../unit/transactions/golden/accounts.ts';
import { CREDITS } from '../../unit/transactions/golden/credits.ts';
import { CURRENCIES_FEES_AND_CASH } from '../../unit/transactions/golden/currencies-fees-and-cash.ts';
import { DISPUTES_AND_SETTLEMENT } from '../../unit/transactions/golden/disputes-and-settlement.ts';
import { ONE_PURCHASE } from '../../unit/transactions/golden/one-purchase.ts';
import { ORDER_AND_REPEATS } from '../../unit/transactions/golden/order-and-repeats.ts';
import type { Action, Scenario } from '../../unit/transactions/golden/scenario.ts';
import { SEVERAL_CLEARINGS } from '../../unit/transactions/golden/several-clearings.ts';
import { expectedRows, HttpPlay, playRows } from './http-play.ts';

const IN_FILES = new Set(['clearing', 'clearing_reversal', 'refund', 'refund_reversal']);
const isInFile = (action: Action) =>
  IN_FILES.has('says' in action ? action.says.type : 'type' in action ? action.type : '');
const clearingOf = (scenarios: readonly Scenario[]) =>
  scenarios.filter(({ rows }) => rows.some(([action]) => isInFile(action)));

const SECTIONS = {
  'one purchase': clearingOf(ONE_PURCHASE),
  'order, repeats, contradictions': clearingOf(ORDER_AND_REPEATS),
  'fuel, travel, several clearings': clearingOf(SEVERAL_CLEARINGS),
  'currencies, fees, cash': clearingOf(CURRENCIES_FEES_AND_CASH),
  credits: clearingOf(CREDITS),
  'disputes and settlement': clearingOf(DISPUTES_AND_SETTLEMENT),
  accounts: clearingOf(ACCOUNTS),
};

let product: Product;
const files = new ClearingFiles();

beforeAll(async () => {
  product = await startContracted({ backend: 'postgres' });
});
afterAll(async () => {
  files.remove();
  await product?.close();
});

describe.each(Object.entries(SECTIONS))('%s', (_, scenarios) => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    const { client, keys } = await product.organisation();
    const { pool, committer } = product.runtime;
    const bookId = keys.testBookId;
    const play = await HttpPlay.begin(scenario, {
      client,
      pool,
      async takeFile(csvOf, networkReference) {
        const [part] = await files.take({ pool, committer }, csvOf(publicId('book', bookId)));
        expect(part!.intake).toMatchObject({ taken: 1, booked: 1, exceptions: 0 });
        return publicId('transaction', purchaseId(bookId, networkReference));
      },
    });
    expect(await playRows(play, scenario)).toEqual(expectedRows(scenario));
    expect(await findingsOf({ pool, id: bookId })).toEqual([]);
  });
});
