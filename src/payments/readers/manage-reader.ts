/** Registers a reader, renames it, removes it. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import { storedAs, storedView } from '../../idempotency/stored-view.ts';
import type { Command, Refusal } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { differenceFrom } from '../../ledger/events/previous-attributes.ts';
import { type Change, changeOf } from '../../ledger/resources/change-of.ts';
import { advance } from '../../ledger/resources/resource.ts';
import { newSalt } from '../../ledger/rows/personal-text.ts';
import { newId, publicId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import type { Reader } from './reader.ts';
import { readerResource } from './reader-resource.ts';
import { readers } from './reader-table.ts';
import { readerBusy } from './terminal-source.ts';

export interface RegisterReader {
  readonly label: string;
  readonly metadata: Record<string, string>;
  readonly requestId: Uuid;
  readonly actor?: string;
}

/** The code proves to a reader's maker that its owner asks. Those of test mode are simulated, and each makes a reader of its own. */
export function registerReader({ label, metadata, requestId, actor }: RegisterReader): Command<Stored | Refusal> {
  const origin = { id: newId(), requestId, actor };
  const id = newId();
  const textSalt = newSalt();
  return {
    ...origin,
    name: 'reader.register',
    touches: [],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const reader: Reader = {
        id,
        status: 'registered',
        label,
        actionId: null,
        metadata,
        textSalt,
        requestId,
        version: 1,
        createdAt: moment.book,
        updatedAt: moment.book,
      };
      draft.put(readers, id, reader);
      return draft.finish({ ...storedView(draft, readerResource, reader), status: 201 });
    },
  };
}

export interface ReaderChange extends Change {
  readonly readerId: Uuid;
}

/** What is left out stays as it is. */
export function updateReader(
  input: ReaderChange & { readonly label?: string | undefined; readonly metadata?: Record<string, string> | undefined },
): Command<Stored | Refusal> {
  const salt = newSalt();
  return changeOf(readerResource, { ...input, id: input.readerId, action: 'update' }, (draft, reader) => {
    const change = differenceFrom(reader, {
      label: input.label ?? reader.label,
      metadata: input.metadata ?? reader.metadata,
    });
    if (change === undefined) return storedView(draft, readerResource, reader);
    const updated = advance(draft, readerResource, reader, { ...change, textSalt: reader.textSalt ?? salt });
    return storedView(draft, readerResource, updated);
  });
}

export function removeReader(input: ReaderChange): Command<Stored | Refusal> {
  return changeOf<Reader, Stored>(
    readerResource,
    { ...input, id: input.readerId, action: 'delete' },
    (draft, reader) => {
      if (reader.actionId !== null) throw readerBusy(reader);
      const removed = advance(draft, readerResource, reader, { status: 'removed' });
      const view = { id: publicId('reader', reader.id), object: 'reader', livemode: draft.livemode, deleted: true };
      return storedAs(readerResource, removed, { status: 200, body: writeJson(view) });
    },
  );
}
