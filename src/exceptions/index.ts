/** The group of exceptions: cases that a person must resolve. */

import type { Group } from '../group/group.ts';
import { closedAccountCheck } from './checks/closed-account-check.ts';
import { exceptionCheck, exceptionEquation } from './checks/exception-check.ts';
import { exceptionGauges } from './exception-gauges.ts';
import { exceptionResource } from './exception-resource.ts';
import { exceptionsAtBank } from './exceptions-at-bank.ts';
import { countOpenIn } from './open-exceptions-store.ts';

export const exceptionsGroup: Group = {
  name: 'exceptions',
  resources: [exceptionResource],
  tables: [],
  moved: [],
  checks: [exceptionCheck, closedAccountCheck],
  equations: [exceptionEquation],
  blocksClosing: [],
  atBank: [exceptionsAtBank],
  gauges: exceptionGauges,
  leftOpen: [{ type: 'exceptions_open', count: countOpenIn }],
};
