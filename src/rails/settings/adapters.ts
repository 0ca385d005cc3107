/**
 * What a rail can be made of. A new adapter is a line here: the schema of its settings, the modes and destinations that it serves. Who
 * makes its client: rails.ts.
 */
import { z } from 'zod';
import { iso20022Settings } from './bank-adapter.ts';
import type { RailMode, RoutedDestination } from './rail-words.ts';

interface Adapter<Schema extends z.ZodType> {
  readonly settings: Schema;
  readonly modes: readonly RailMode[];
  readonly carries: readonly RoutedDestination[];
  /** The one name that its rail may have, where its records are of one rail. */
  readonly onlyName?: string;
}

const adapter = <Schema extends z.ZodType>(declared: Adapter<Schema>): Adapter<Schema> => declared;

const OUTSIDE = ['cliq', 'card', 'iban', 'wallet'] as const;

export const ADAPTERS = {
  /** The rail of test books, which every process has. The file may set its terms. */
  sandbox: adapter({
    settings: z.strictObject({ type: z.literal('sandbox') }),
    modes: ['test'],
    carries: OUTSIDE,
    onlyName: 'sandbox',
  }),
  /** The gateway of RAIL_HTTP_URL, by its name. The file may set its terms. */
  http: adapter({
    settings: z.strictObject({ type: z.literal('http') }),
    modes: ['test', 'live'],
    carries: OUTSIDE,
  }),
  /** A bank that takes payouts in files, and answers in files of its own. */
  iso20022: adapter({ settings: iso20022Settings, modes: ['live', 'test'], carries: ['iban'] }),
} as const satisfies Readonly<Record<string, Adapter<z.ZodType>>>;

export type AdapterType = keyof typeof ADAPTERS;

/** By type. */
export type AdapterSettings = { [Type in AdapterType]: z.output<(typeof ADAPTERS)[Type]['settings']> }[AdapterType];

export const adapterSettings = z.discriminatedUnion('type', [
  ADAPTERS.sandbox.settings,
  ADAPTERS.http.settings,
  ADAPTERS.iso20022.settings,
]);
