/** The statement's count of lines becomes that of those that are its own: what other statements have brought is left out. */
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { bankStatements } from './bank-statement-table.ts';

export function setLines(id: Uuid, lines: number): Command<void> {
  const origin = { id: newId(), requestId: newId() };
  return {
    ...origin,
    name: 'bank_statement.lines',
    touches: [{ table: bankStatements, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const statement = draft.get(bankStatements, id)!;
      const isOpen = statement.status === 'received' || statement.status === 'held';
      // Its posting announces it.
      if (isOpen && statement.lines !== lines) draft.put(bankStatements, id, { ...statement, lines });
      return draft.finish(undefined);
    },
  };
}
