/** The group of exceptions: what a person must look at. */

import { keyedByUuid } from '../db/keyed-table.ts';
import { rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group.ts';
import { exceptionGauges } from './exception-gauges.ts';
import { exceptions } from './exception-table.ts';

export const exceptionsGroup: Group = {
  name: 'exceptions',
  resources: [{ name: 'exception', table: keyedByUuid(exceptions.name, 'id'), events: [] }],
  tables: [exceptions],
  rights: { exceptions: rightsOf(exceptions) },
  moved: [],
  checks: [],
  gauges: exceptionGauges,
};
