/**
 * The command that takes the next lines of a part, from where the book has come, however it got there. Some hundred lines are one commit:
 * what they book, and how far the part has been taken.
 */
import { openException } from '../../exceptions/open-exception.ts';
import { requireClockIdle } from '../../idempotency/once.ts';
import type { Command, Touch } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { unionOfTouches } from '../../ledger/command/state.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { NoProgress } from '../../values/progress.ts';
import { lookalikeKey } from '../purchase/lookalike-store.ts';
import type { ClearingPart } from './clearing-file-store.ts';
import { type ClearingIntake, clearingIntakes } from './clearing-intake-table.ts';
import type { ReadLine } from './read-lines.ts';
import { lineTouches, type TakenLine, takeLine } from './take-line.ts';

export const LINES_PER_COMMAND = 100;
/** A command touches at most 1,000 rows: this many are left for what it touches beside its lines. */
const LINE_ROWS_MAX = 950;

/** The actor of the messages of a file. */
export const actorOf = ({ processor }: Pick<ClearingPart, 'processor'>) => `processor:${processor}`;

export interface TakeLines {
  readonly part: ClearingPart;
  /** How many lines were taken before these. */
  readonly behind: number;
  readonly lines: readonly ReadLine[];
  /** Of the messages of the lines. */
  readonly requestId: Uuid;
}

/** Answers with the intake: with these lines or further. Throws NoProgress without lines, since whoever asks for the next ones would ask for ever. */
export function takeLines({ part, behind, lines, requestId }: TakeLines): Command<ClearingIntake> {
  const origin = { id: newId(), requestId, actor: actorOf(part) };
  return {
    ...origin,
    name: 'clearing.lines',
    touches: linesTouches(part, lines),
    decide(state, moment) {
      requireClockIdle(state.book);
      const draft = new Draft(state, origin, moment);
      const intake = draft.get(clearingIntakes, part.id) ?? newIntake(draft, part);
      if (intake.taken !== behind) return draft.finish(intake);
      if (lines.length === 0)
        throw new NoProgress(`Clearing part ${part.id}: no line is taken behind line ${behind} of ${part.lines}.`);
      const taken = lines.map((line) => takeOrHold(draft, line));
      const count = (is: TakenLine['is']) => taken.filter((one) => one === is).length;
      return draft.finish(
        draft.put(clearingIntakes, part.id, {
          ...intake,
          taken: behind + lines.length,
          booked: intake.booked + count('booked'),
          known: intake.known + count('known'),
          exceptions: intake.exceptions + count('exception'),
          version: intake.version + 1,
          updatedAt: moment.book,
        }),
      );
    },
  };
}

/** What lines of a part touch. Lines of one card or account name the same rows. */
export function linesTouches(part: Pick<ClearingPart, 'id'>, lines: readonly ReadLine[]): Touch[] {
  const touches = [{ table: clearingIntakes, ids: [part.id] }, ...lines.flatMap(lineTouches)];
  return [...unionOfTouches([touches])].map(([table, ids]) => ({ table, ids }));
}

function takeOrHold(draft: Draft, read: ReadLine): TakenLine['is'] {
  const taken = takeLine(draft, read);
  if (taken.is === 'exception') {
    const of = { resource: 'clearing_line', resourceId: read.line.id } as const;
    openException(draft, { id: draft.mintId(), ...of, ...taken.exception });
  }
  return taken.is;
}

function newIntake({ moment }: Draft, { id, processor, lines }: ClearingPart): ClearingIntake {
  const nothing = { taken: 0, booked: 0, known: 0, exceptions: 0, version: 0 };
  return { id, processor, lines, ...nothing, createdAt: moment.book, updatedAt: moment.book };
}

/**
 * As many of the lines as one command takes: those whose rows it may touch. A forced post looks at the open purchases of its card at its
 * merchant as they were when the command began, so it is not taken together with a line that may have closed one of them.
 */
export function withinCommand(lines: readonly ReadLine[]): readonly ReadLine[] {
  const rows = new Set<string>();
  const places = new Set<string>();
  for (const [at, { scope, merchantId }] of lines.entries()) {
    if (scope !== null) {
      const place = lookalikeKey(scope.card.line.lineId, merchantId);
      if (scope.looksFor !== null && places.has(place)) return lines.slice(0, at);
      places.add(place);
    }
    for (const { table, ids } of lineTouches(lines[at]!)) for (const id of ids) rows.add(`${table.name} ${id}`);
    if (rows.size > LINE_ROWS_MAX && at > 0) return lines.slice(0, at);
  }
  return lines;
}
