/** Checks files for banks: each has the payments with which it was made. */
import type { CheckContext } from '../../../group/check-context.ts';
import type { RowCheck } from '../../../group/row-check.ts';
import type { Uuid } from '../../../values/ids.ts';
import { type CheckedFile, readFiles } from './bank-file-check-store.ts';

export const bankFileCheck: RowCheck<CheckedFile, Uuid> = {
  name: 'files for banks',
  // Each counts up to 10,000 payments.
  pageRows: 10,
  read: ({ pool, book }, page) => readFiles(pool, book.id, page),
  check: checkFile,
  placeOf: ({ id }) => id,
};

function checkFile({ report }: CheckContext, { id, name, payments, filed }: CheckedFile): void {
  if (filed === payments) return;
  report({
    ...{ check: 'bank_file.payments', ids: { bank_file: id }, expected: String(payments), actual: String(filed) },
    detail: `The file ${name} was made with other payments than those that are filed in it.`,
  });
}
