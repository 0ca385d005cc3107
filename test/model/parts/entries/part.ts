/** Entries of one to three postings between any accounts. */
import fc from 'fast-check';
import { draws, kind, type Part } from '../../part.ts';
import { type Movement, refused } from '../../reference-ledger.ts';
import { accountAt, amountFrom } from '../accounts/drawn.ts';
import { postEntry } from './commands.ts';

const { account, key, money } = draws;

export const entriesPart: Part = {
  tables: [],
  kinds: [
    kind({
      do: 'post',
      weight: 4,
      draw: {
        key,
        lines: fc.array(fc.record({ from: account, to: account, amount: fc.oneof(money, fc.constant(0)) }), {
          minLength: 1,
          maxLength: 3,
        }),
      },
      ask(book, { lines }): { readonly movements: readonly Movement[] } | undefined {
        const movements = lines
          .map(({ from, to, amount }) => {
            const debit = accountAt(book, from);
            return { debit, credit: accountAt(book, to), amount: amount === 0 ? 0n : amountFrom(book, debit, amount) };
          })
          .filter(({ debit, credit }) => debit !== credit);
        // An entry needs at least one posting between two accounts.
        return movements.some(({ amount }) => amount > 0n) ? { movements } : undefined;
      },
      expect(book, { movements }) {
        if (movements.some(({ debit, credit }) => !book.accounts.has(debit) || !book.accounts.has(credit)))
          return refused('resource_not_found');
        const resource = `posting ${book.entries.length + 1}`;
        const entry = book.post({ resource, step: 'posted', movements });
        return typeof entry === 'string' ? refused(entry) : { status: 201, resource };
      },
      command: ({ names }, { movements }) =>
        postEntry(
          movements.map(({ debit, credit, amount }) => ({
            debit: names.idOf(debit),
            credit: names.idOf(credit),
            amount,
          })),
        ),
    }),
  ],
};
