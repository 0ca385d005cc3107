import type { OnceRuntime } from '../../idempotency/run-once.ts';
import type { Asked, UseCase } from '../../idempotency/use-case.ts';
import type { EntryInput } from './entry-command.ts';
import { postEntry, postEntryBatch } from './post-entries.ts';

/** One entry, or several that are booked together. */
type EntriesRequest = Asked & ({ readonly entry: EntryInput } | { readonly entries: readonly EntryInput[] });

/** The guards are decided with the entry. Nothing is read before. */
export const requestEntries: UseCase<OnceRuntime, EntriesRequest> = {
  prepare(_, input) {
    const command = 'entry' in input ? postEntry(input, input.entry) : postEntryBatch(input, input.entries);
    return Promise.resolve({ command });
  },
};
