/** Puts lines that no rule explains before people: an exception a line or, where a run leaves very many, one a statement. */
import { isEnded, type ProposedMatch } from '../../exceptions/exception.ts';
import { exceptionResource } from '../../exceptions/exception-resource.ts';
import { exceptions } from '../../exceptions/exception-table.ts';
import { openException } from '../../exceptions/open-exception.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { type BankLine, openAmount } from '../lines/bank-line.ts';
import { bankLines } from '../lines/bank-line-table.ts';
import type { LeftLine, Proposal } from './matching.ts';

/** A line, its exception and its event each. */
export const LEFT_PER_COMMAND = 250;

interface Leave {
  readonly left: readonly { readonly line: Pick<BankLine, 'id' | 'exceptionId'>; readonly why: LeftLine }[];
  /** Exceptions of credits that lines are, by line: such a line has that one, and opens none. */
  readonly known: ReadonlyMap<Uuid, Uuid>;
  readonly requestId: Uuid;
  readonly actor: string;
}

/** A line that is an exception already keeps it; what is proposed now replaces what was. */
export function leaveLines({ left, known: ofCredits, requestId, actor }: Leave): Command<void> {
  const origin = { id: newId(), requestId, actor };
  const fresh = left.map(() => newId());
  const known = left.flatMap(({ line }) => (line.exceptionId === null ? [] : [line.exceptionId]));
  return {
    ...origin,
    name: 'bank_line.leave',
    touches: [
      { table: bankLines, ids: left.map(({ line }) => line.id) },
      { table: exceptions, ids: [...new Set([...fresh, ...known])] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      for (const [index, { line: read, why }] of draft.each([...left.entries()])) {
        const line = draft.get(bankLines, why.lineId)!;
        // Another run has left it to people meanwhile.
        if (line.exceptionId !== null && line.exceptionId !== read.exceptionId) continue;
        const ofCredit = ofCredits.get(line.id);
        if (openAmount(line) === 0n) continue;
        if (ofCredit !== undefined && line.exceptionId === null)
          draft.put(bankLines, line.id, { ...line, exceptionId: ofCredit });
        else leave(draft, line, { why, fresh: fresh[index]! });
      }
      return draft.finish(undefined);
    },
  };
}

export interface MetCredit {
  readonly lineId: Uuid;
  /** Of the line, as it was read. */
  readonly before: Uuid | null;
  /** Of the credit that the line is. */
  readonly exceptionId: Uuid;
}

/** Lines whose credits were before people when they came, or are again: they have the same exceptions. */
export function meetCredits(met: readonly MetCredit[], actor: string): Command<void> {
  const origin = { id: newId(), requestId: newId(), actor };
  const before = met.flatMap((one) => (one.before === null ? [] : [one.before]));
  return {
    ...origin,
    name: 'bank_line.meet',
    touches: [
      { table: bankLines, ids: met.map(({ lineId }) => lineId) },
      { table: exceptions, ids: [...new Set(before)] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      for (const one of draft.each(met)) {
        const line = draft.get(bankLines, one.lineId)!;
        if (line.exceptionId !== one.before || openAmount(line) === 0n) continue;
        const known = one.before === null ? undefined : draft.get(exceptions, one.before);
        const isOver = known?.resource === 'inbound_credit' && isEnded(known);
        if (one.before === null || isOver) draft.put(bankLines, one.lineId, { ...line, exceptionId: one.exceptionId });
      }
      return draft.finish(undefined);
    },
  };
}

function leave(draft: Draft, line: BankLine, { why, fresh }: { why: LeftLine; fresh: Uuid }): void {
  const proposals = why.proposals.map((one) => proposalOf(line, one));
  if (line.exceptionId !== null) {
    const known = draft.get(exceptions, line.exceptionId);
    const isSame = textOf(known?.proposals ?? []) === textOf(proposals);
    const isOwn = known?.resourceId === line.id || known?.resource === 'inbound_credit';
    if (known === undefined || !isOwn || isEnded(known) || isSame) return;
    advance(draft, exceptionResource, known, { proposals }, { event: 'exception.updated' });
    return;
  }
  draft.put(bankLines, line.id, { ...line, exceptionId: fresh });
  openException(draft, {
    ...{ id: fresh, kind: why.kind, resource: 'bank_line', resourceId: line.id, detail: why.detail, proposals },
  });
}

/** A stored object has its members in an order of its own. */
function textOf(proposals: readonly ProposedMatch[]): string {
  return JSON.stringify(proposals.map(({ rule, items, difference }) => [rule, items, difference]));
}

function proposalOf({ id }: BankLine, { rule, reason, itemIds, difference }: Proposal) {
  return {
    ...{ rule, reason, lines: [publicId('bankLine', id)] },
    items: itemIds.map((itemId) => publicId('expectedItem', itemId)),
    difference: String(difference),
  };
}

interface LeaveStatement extends Omit<Leave, 'left' | 'known'> {
  readonly statementId: Uuid;
  /** The same in each command of the statement. */
  readonly exceptionId: Uuid;
  readonly lineIds: readonly Uuid[];
  readonly count: number;
}

/** All lines of a statement that are left share an exception about it. */
export function leaveStatement(input: LeaveStatement): Command<void> {
  const { statementId, exceptionId, lineIds, count, requestId, actor } = input;
  const origin = { id: newId(), requestId, actor };
  return {
    ...origin,
    name: 'bank_statement.leave',
    touches: [
      { table: bankLines, ids: lineIds },
      { table: exceptions, ids: [exceptionId] },
    ],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      if (draft.get(exceptions, exceptionId) === undefined)
        openException(draft, {
          ...{ id: exceptionId, kind: 'bank_line_unmatched', resource: 'bank_statement', resourceId: statementId },
          detail: `No rule explains ${count} lines of the statement.`,
        });
      for (const id of lineIds) {
        const line = draft.get(bankLines, id)!;
        if (line.exceptionId === null) draft.put(bankLines, id, { ...line, exceptionId });
      }
      return draft.finish(undefined);
    },
  };
}
