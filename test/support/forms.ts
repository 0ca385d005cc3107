/** The stored forms of an installation that is contracted to this release. */
import { EARLIEST_FORMS, type Forms } from '../../src/db/forms.ts';

export const LATEST_FORMS: Forms = {
  textApart: true,
  returnsApart: true,
  evidenceByResource: true,
  eventsDerived: true,
  multiBookJobs: true,
  keysOverApi: true,
  moneyIn: true,
  laterJobs: true,
};

/** As until the contract, but for the entries of returns. */
export const RETURNS_APART: Forms = { ...EARLIEST_FORMS, returnsApart: true };
