/** The last step of an erasure: marks it as finished and emits its event, in one commit. */

import { type Erasure, erasures } from '../erasures/erasure-table.ts';
import type { Command } from '../ledger/command/command.ts';
import { Draft } from '../ledger/command/draft.ts';
import { type IdKind, newId, publicId } from '../values/ids.ts';

export interface FinishErasure {
  readonly erasure: Erasure;
  readonly kind: IdKind;
  /** The object's version after the erasure. */
  readonly version: number;
}

/** A repetition changes nothing. The event names the object and its fields, and contains no text. */
export function finishErasure({ erasure, kind, version }: FinishErasure): Command<Erasure> {
  const id = newId();
  const requestId = newId();
  return {
    id,
    name: 'personal_data.erase',
    requestId,
    actor: erasure.actor,
    touches: [{ table: erasures, ids: [erasure.id] }],
    decide(state, moment) {
      const draft = new Draft(state, { id, requestId, actor: erasure.actor }, moment);
      const begun = draft.get(erasures, erasure.id);
      if (!begun) throw new Error(`Erasure ${erasure.id} does not exist`);
      if (begun.finishedAt !== null) return draft.finish(begun);
      const finished: Erasure = { ...begun, finishedAt: moment.book };
      draft.put(erasures, erasure.id, finished);
      draft.emit({
        type: 'personal_data.erased',
        objectId: erasure.objectId,
        objectSequence: version,
        object: {
          id: publicId(kind, erasure.objectId),
          object: erasure.object,
          livemode: draft.livemode,
          fields: erasure.fields,
        },
      });
      return draft.finish(finished);
    },
  };
}
