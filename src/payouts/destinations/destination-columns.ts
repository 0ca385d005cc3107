/** The columns of a destination, in the rows of payouts and of payees alike. */
import { type Column, column } from '../../db/declared-columns.ts';
import type { Destination, DestinationDetails, OutsideDestination } from './destination.ts';

interface HasDestination {
  readonly destination: Destination;
}

export const outsideOf = ({ destination }: HasDestination): OutsideDestination | null =>
  destination.type === 'account' ? null : destination;

/** `neededWhile`: while it is true of the row, an erasure leaves what is sealed (db/declared-columns.ts). */
export function destinationColumns<Noun extends HasDestination>(
  options: { readonly changes?: true; readonly neededWhile?: string } = {},
): Column<Noun>[] {
  const { changes, neededWhile } = options;
  const any = changes && { changes };
  const sealed = { sealed: true, personal: true, ...any, ...(neededWhile !== undefined && { neededWhile }) } as const;
  return [
    column<Noun>('destination_type', 'code', ({ destination }) => destination.type, any),
    column<Noun>(
      'destination_account_id',
      'uuid',
      ({ destination }) => (destination.type === 'account' ? destination.accountId : null),
      any,
    ),
    column<Noun>('destination_sealed', 'bytea', (noun) => outsideOf(noun)?.sealed ?? null, sealed),
    column<Noun>('destination_masked', 'text', (noun) => outsideOf(noun)?.masked ?? null, {
      notPersonal: 'masked',
      ...any,
    }),
    column<Noun>('destination_provider', 'text', (noun) => outsideOf(noun)?.provider ?? null, {
      notPersonal: 'instruction',
      ...any,
    }),
    column<Noun>('destination_details', 'jsonb', (noun) => outsideOf(noun)?.details ?? null, {
      notPersonal: 'masked',
      ...any,
    }),
  ];
}

export interface DestinationRow {
  readonly destination_type: Destination['type'];
  readonly destination_account_id: string | null;
  readonly destination_sealed: Buffer | null;
  readonly destination_masked: string | null;
  readonly destination_provider: string | null;
  readonly destination_details: DestinationDetails | null;
}

export function destinationFromRow(row: DestinationRow, accountSealed: Buffer | null): Destination {
  if (row.destination_type === 'account') return { type: 'account', accountId: row.destination_account_id! };
  return {
    type: row.destination_type,
    sealed: row.destination_sealed,
    masked: row.destination_masked!,
    provider: row.destination_provider,
    details: row.destination_details,
    accountSealed,
  };
}
