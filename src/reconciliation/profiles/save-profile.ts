/** Saves a profile of CSV files. */
import type { Stored } from '../../idempotency/idempotency-key.ts';
import type { Command } from '../../ledger/command/command.ts';
import { Draft } from '../../ledger/command/draft.ts';
import { newId, type Uuid } from '../../values/ids.ts';
import { writeJson } from '../../values/json.ts';
import type { CsvForm, SavedProfile } from './saved-profile.ts';
import { csvProfileResource } from './saved-profile-resource.ts';
import { csvProfiles } from './saved-profile-table.ts';

export interface SaveProfile extends CsvForm {
  readonly name: string;
  readonly requestId: Uuid;
  readonly actor: string;
}

export function saveProfile({ requestId, actor, ...given }: SaveProfile): Command<Stored> {
  const origin = { id: newId(), requestId, actor };
  const id = newId();
  return {
    ...origin,
    name: 'csv_profile.save',
    touches: [{ table: csvProfiles, ids: [id] }],
    decide(state, moment) {
      const draft = new Draft(state, origin, moment);
      const saved = draft.put<SavedProfile>(csvProfiles, id, {
        ...{ id, ...given, requestId, createdAt: moment.book },
      });
      const body = writeJson(csvProfileResource.view(saved, draft));
      return draft.finish<Stored>({ status: 201, body, resource: 'csv_profile', resourceId: id });
    },
  };
}
