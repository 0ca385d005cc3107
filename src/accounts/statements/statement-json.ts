/** A statement as JSON, written line by line. */
import { currencyExponent } from '../../money/currency.ts';
import { publicId } from '../../values/ids.ts';
import { toJson } from '../../values/json.ts';
import { lineView } from '../lines/account-line-view.ts';
import type { LinePages, Statement } from './statement.ts';

export async function* statementJson(statement: Statement, pages: LinePages): AsyncGenerator<string> {
  yield `${toJson(headOf(statement)).slice(0, -1)},"lines":[`;
  let isFirst = true;
  for await (const page of pages) {
    if (page.length > 0) yield `${isFirst ? '' : ','}${page.map((line) => toJson(lineView(line))).join(',')}`;
    isFirst = isFirst && page.length === 0;
  }
  yield `],"digest":${toJson(statement.digest)}}`;
}

function headOf({ account, credits, debits, ...statement }: Statement) {
  return {
    object: 'account_statement',
    livemode: statement.mode === 'live',
    account: publicId('account', account.id),
    from: statement.from,
    to: statement.to,
    time_zone: statement.timeZone,
    currency: account.currency,
    currency_exponent: currencyExponent(account.currency),
    interim: statement.interim,
    through_line: statement.throughLine,
    opening: statement.opening,
    credits,
    debits,
    closing: statement.closing,
  };
}
