/** The group of exceptions: what a person must look at. */

import { keyedByUuid } from '../db/keyed-table.ts';
import { rightsOf } from '../db/table-rights.ts';
import type { Group } from '../group/group.ts';
import type { GroupResource } from '../group/group-resource.ts';
import { closedAccountCheck } from './checks/closed-account-check.ts';
import { exceptionCheck } from './checks/exception-check.ts';
import { exceptionGauges } from './exception-gauges.ts';
import { exceptions } from './exception-table.ts';

export const declaredException: GroupResource = {
  name: 'exception',
  table: keyedByUuid(exceptions.name, 'id'),
  parent: null,
  events: ['exception.opened', 'exception.updated', 'exception.resolved'],
  appointments: [],
};

export const exceptionsGroup: Group = {
  name: 'exceptions',
  resources: [declaredException],
  tables: [exceptions],
  rights: { exceptions: rightsOf(exceptions) },
  moved: [],
  checks: [exceptionCheck, closedAccountCheck],
  blocksClosing: [],
  gauges: exceptionGauges,
};
