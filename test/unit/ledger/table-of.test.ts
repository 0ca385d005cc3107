/** How a declaration reads and writes a noun: columns of its name, of another name, with a codec, and several together. */
import { expect, test } from 'vitest';
import { type Codec, column } from '../../../src/db/declared-columns.ts';
import { WRITE_ORDER } from '../../../src/ledger/rows/table.ts';
import { tableOf } from '../../../src/ledger/rows/table-of.ts';

interface Parcel {
  readonly id: string;
  readonly sentAt: number;
  readonly final: boolean;
  readonly parts: readonly bigint[];
  readonly size: { readonly width: number; readonly height: number } | null;
}

const PARTS: Codec<readonly bigint[]> = {
  store: (parts) => parts.map(String),
  read: (stored: readonly string[]) => stored.map(BigInt),
};

const columns = [
  column<Parcel>('id', 'uuid'),
  column<Parcel>('sent_at', 'timestamptz'),
  column<Parcel>('is_final', 'boolean', { property: 'final', changes: true }),
  column<Parcel>('parts', 'jsonb', { codec: PARTS, notPersonal: 'facts' }),
  column<Parcel>('width', 'integer', ({ size }) => size?.width ?? null),
  column<Parcel>('height', 'integer', ({ size }) => size?.height ?? null),
];
const parcels = tableOf<Parcel>({
  name: 'parcels',
  key: 'id',
  writeOrder: WRITE_ORDER.resources,
  columns,
  alsoRead: ({ width, height }: { width: number | null; height: number | null }) => ({
    size: width === null || height === null ? null : { width, height },
  }),
});

const row = { id: 'a', sent_at: 5, is_final: true, parts: ['9007199254740993', '2'], width: 3, height: 4 };
const parcel: Parcel = {
  id: 'a',
  sentAt: 5,
  final: true,
  parts: [9007199254740993n, 2n],
  size: { width: 3, height: 4 },
};

test('a noun is read from its row, and has no property of a column that is computed', () => {
  expect(parcels.fromRow(row)).toEqual(parcel);
  expect(parcels.fromRow({ ...row, width: null, height: null })).toEqual({ ...parcel, size: null });
});

test('its row is written from the noun', () => {
  expect(Object.fromEntries(columns.map(({ name, read }) => [name, read(parcel)]))).toEqual(row);
});

test('a masked column holds a property as it is, since what is masked is written back to the noun', () => {
  const masked = column<Parcel>('parts', 'jsonb', { codec: PARTS, notPersonal: 'facts', cardNumber: 'masked' });
  const declare = () =>
    tableOf<Parcel>({ name: 'parcels', key: 'id', writeOrder: WRITE_ORDER.resources, columns: [columns[0]!, masked] });
  expect(declare).toThrow('parcels.parts is masked');
});
