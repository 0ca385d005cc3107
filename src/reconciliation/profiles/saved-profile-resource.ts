import type { ShownResource } from '../../ledger/resources/resource.ts';
import { formatInstant } from '../../values/clock.ts';
import { publicId } from '../../values/ids.ts';
import type { CsvForm, SavedProfile } from './saved-profile.ts';
import { csvProfiles } from './saved-profile-table.ts';

export const csvProfileResource: ShownResource<SavedProfile> = {
  name: 'csv_profile',
  phrase: 'profile of CSV files',
  table: csvProfiles,
  parent: null,
  events: [],
  books: false,
  view: (profile, { livemode }) => ({
    id: publicId('csvProfile', profile.id),
    object: 'csv_profile',
    livemode,
    name: profile.name,
    ...formView(profile),
    request_id: publicId('request', profile.requestId),
    created_at: formatInstant(profile.createdAt),
  }),
};

/** As requests state it. */
export function formView({ delimiter, encoding, skip, columns, decimal, group, dateFormat }: CsvForm) {
  return { delimiter, encoding, skip, columns, decimal, group, date_format: dateFormat };
}
