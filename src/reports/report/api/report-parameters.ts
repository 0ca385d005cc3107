/** What a request for a report comes to: days and axis as its type has them. */
import type { z } from 'zod';
import { ApiError } from '../../../errors/errors.ts';
import { REPORT_TYPES, type ReportType } from '../../figures/kinds.ts';
import type { Axis } from '../../figures/place.ts';
import type { ReportParameters } from '../request-report.ts';
import type { createReport } from './report-schemas.ts';

export type CreateReport = z.output<typeof createReport>;

/** Throws ApiError `parameter_missing` and `parameter_invalid`, each with its place. */
export function parametersOf(body: CreateReport): ReportParameters {
  const { type: name, currency = null, format, bom = false } = body;
  const type: ReportType = REPORT_TYPES[name];
  if (!type.formats.includes(format)) throw invalid('/format', `This report is written as ${anyOf(type.formats)}.`);
  if (type.needsAccount && currency !== null)
    throw invalid('/currency', 'This report is of one account, which has one currency.');
  if (type.ofOperator && currency !== null) throw invalid('/currency', 'This report is of all currencies.');
  if (type.ofOperator && body.through_sequence !== undefined)
    throw invalid('/through_sequence', 'This report is of what stands there when it is written.');
  if (bom && format !== 'csv') throw invalid('/bom', 'Expects `format` csv beside it.');
  return {
    ...{ type: name, ...daysOf(type, body), axis: axisOf(type, body.axis) },
    ...optionsOf(type, body),
    ...{ currency, format, bom, throughSequence: body.through_sequence },
  };
}

function daysOf({ of }: ReportType, { as_of: asOf, from, to }: CreateReport): { from: string; to: string } {
  if (of === 'day') {
    if (from !== undefined) throw invalid('/from', 'This report is as of one day: expects `as_of` alone.');
    if (to !== undefined) throw invalid('/to', 'This report is as of one day: expects `as_of` alone.');
    const day = asOf ?? missing('/as_of');
    return { from: day, to: day };
  }
  if (asOf !== undefined) throw invalid('/as_of', 'This report is over days: expects `from` and `to`.');
  const days = { from: from ?? missing('/from'), to: to ?? missing('/to') };
  if (days.from > days.to) throw invalid('/to', 'Expects a day that is not before `from`.');
  return days;
}

function axisOf({ axes }: ReportType, asked: Axis | undefined): Axis {
  if (asked === undefined) return axes[0]!;
  if (axes.includes(asked)) return asked;
  throw invalid('/axis', `This report has ${axes.join(' or ')} alone.`);
}

function optionsOf(
  { takes = [], needsAccount }: ReportType,
  { account, detail }: CreateReport,
): Pick<ReportParameters, 'accountId' | 'detail'> {
  if (account !== undefined && !takes.includes('account')) throw invalid('/account', 'This report is of all accounts.');
  if (account === undefined && needsAccount) missing('/account');
  if (detail !== undefined && !takes.includes('detail')) throw invalid('/detail', 'This report has one detail alone.');
  return { accountId: account ?? null, detail: takes.includes('detail') ? (detail ?? 'entry') : null };
}

const anyOf = (names: readonly string[]) => new Intl.ListFormat('en', { type: 'disjunction' }).format(names);

function invalid(param: string, detail: string): ApiError {
  return new ApiError('parameter_invalid', { param, detail });
}

function missing(param: string): never {
  throw new ApiError('parameter_missing', { param, detail: 'Required of this type, and missing.' });
}
