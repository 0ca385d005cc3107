/** Rules between the parts of the file of rails. Each fault names its place. The form of each part is known to be right. */
import { type FeeSchedule, scheduleError } from '../../fees/fee-schedule.ts';
import { MAX_REQUEST_AMOUNT } from '../../money/amount.ts';
import { ADAPTERS, type AdapterType } from './adapters.ts';
import type { AmountRange, Route } from './rail-settings.ts';
import { BOOK_RAIL, type RoutedDestination } from './rail-words.ts';
import type { RailsFile } from './rails-schema.ts';

export interface Fault {
  /** A JSON pointer into the file. */
  readonly pointer: string;
  readonly detail: string;
}

type RailPart = RailsFile['rails'][number];
type RoutePart = RailsFile['routes'][number];
type FeePart = RailsFile['fees'][number];

export function faultsOf(file: RailsFile): Fault[] {
  return [
    ...repeatedNames('rails', file.rails),
    ...repeatedNames('fees', file.fees),
    ...file.rails.flatMap(faultsOfRail),
    ...file.fees.flatMap(faultsOfFee),
    ...file.routes.flatMap((route, at) => faultsOfRoute(file, { route, at })),
    ...overlaps(file),
    ...faultsOfLimits(file),
  ];
}

function repeatedNames(part: 'rails' | 'fees', named: readonly { readonly name: string }[]): Fault[] {
  return named.flatMap(({ name }, at) => {
    const first = named.findIndex((one) => one.name === name);
    if (first === at) return [];
    return [{ pointer: `/${part}/${at}/name`, detail: `/${part}/${first} has this name already.` }];
  });
}

function faultsOfRail(rail: RailPart, at: number): Fault[] {
  const place = `/rails/${at}`;
  const { modes, onlyName } = ADAPTERS[rail.adapter.type as AdapterType];
  const known: readonly string[] = modes;
  const faults: Fault[] = [];
  if (rail.name === BOOK_RAIL)
    faults.push({ pointer: `${place}/name`, detail: `${BOOK_RAIL} is the rail of transfers within a book.` });
  if (onlyName !== undefined && rail.name !== onlyName)
    faults.push({
      pointer: `${place}/name`,
      detail: `A rail of the adapter ${rail.adapter.type} is named ${onlyName}.`,
    });
  if (!known.includes(rail.mode))
    faults.push({ pointer: `${place}/mode`, detail: `The adapter ${rail.adapter.type} serves ${known.join(', ')}.` });
  for (const [index, one] of rail.currencies.entries()) {
    const pointer = `${place}/currencies/${index}`;
    const first = rail.currencies.findIndex(({ currency }) => currency === one.currency);
    if (first < index) faults.push({ pointer, detail: `${one.currency} stands in it twice.` });
    if (isEmpty(rangeOf(one))) faults.push({ pointer: `${pointer}/maximum`, detail: EMPTY_RANGE });
  }
  return [...faults, ...faultsOfSchedule(rail, place), ...faultsOfBank(rail, place)];
}

/** A bank is open on business days; the EPC's profile carries euro alone. */
function faultsOfBank({ adapter, calendar, currencies }: RailPart, place: string): Fault[] {
  if (adapter.type !== 'iso20022') return [];
  const faults: Fault[] = [];
  if (calendar === undefined)
    faults.push({ pointer: `${place}/calendar`, detail: 'Is not set: a bank executes on business days.' });
  const other = adapter.profile === 'epc' ? currencies.findIndex(({ currency }) => currency !== 'EUR') : -1;
  if (other >= 0)
    faults.push({
      pointer: `${place}/currencies/${other}/currency`,
      detail: 'Expects EUR: the profile epc carries no other.',
    });
  return faults;
}

/** A setting that can never apply is a fault: its operator believes that it does. */
function faultsOfSchedule(rail: RailPart, place: string): Fault[] {
  const dependent = (['cut_off', 'days_to_arrive'] as const).filter((name) => rail[name] !== undefined);
  const faults: Fault[] = [];
  if (rail.calendar === undefined)
    for (const name of dependent)
      faults.push({
        pointer: `${place}/${name}`,
        detail: 'Expects a calendar beside it: without one, every moment counts.',
      });
  if (rail.calendar !== undefined && rail.time_zone === undefined)
    faults.push({
      pointer: `${place}/time_zone`,
      detail: 'Is not set: the days of a calendar are those of a time zone.',
    });
  if (rail.calendar === undefined && rail.time_zone !== undefined)
    faults.push({
      pointer: `${place}/time_zone`,
      detail: 'Expects a calendar beside it: without one, it never applies.',
    });
  return faults;
}

function faultsOfFee(fee: FeePart, at: number): Fault[] {
  const place = `/fees/${at}`;
  const hasAmounts = [fee.fixed, fee.minimum, fee.maximum].some((amount) => amount !== undefined);
  const faults: Fault[] = [];
  if (hasAmounts && fee.currency === undefined)
    faults.push({ pointer: `${place}/currency`, detail: 'Is not set: amounts of a fee are of one currency.' });
  const error = scheduleError(scheduleOf(fee));
  if (error !== undefined) faults.push({ pointer: place, detail: error });
  return faults;
}

function faultsOfRoute(file: RailsFile, { route, at }: { route: RoutePart; at: number }): Fault[] {
  const place = `/routes/${at}`;
  const faults: Fault[] = [];
  if (isEmpty(rangeOf(route))) faults.push({ pointer: `${place}/maximum`, detail: EMPTY_RANGE });
  const repeated = route.currencies.findIndex((currency, index) => route.currencies.indexOf(currency) < index);
  if (repeated >= 0)
    faults.push({
      pointer: `${place}/currencies/${repeated}`,
      detail: `${route.currencies[repeated]} stands in it twice.`,
    });
  return [...faults, ...faultsOfItsFee(file, route, place), ...faultsOfItsRail(file, route, place)];
}

function faultsOfItsFee({ fees }: RailsFile, route: RoutePart, place: string): Fault[] {
  if (route.fee === undefined) return [];
  const fee = fees.find(({ name }) => name === route.fee);
  if (!fee) return [{ pointer: `${place}/fee`, detail: `/fees names no ${route.fee}.` }];
  const other = route.currencies.find((currency) => fee.currency !== undefined && currency !== fee.currency);
  if (other === undefined) return [];
  return [{ pointer: `${place}/fee`, detail: `The fee is in ${fee.currency}, and the route carries ${other}.` }];
}

function faultsOfItsRail({ rails }: RailsFile, route: RoutePart, place: string): Fault[] {
  const isOfBook = route.destination === 'account';
  if (isOfBook !== (route.rail === BOOK_RAIL)) {
    const detail = `The destination account goes by the rail ${BOOK_RAIL}, and nothing else does.`;
    return [{ pointer: `${place}/rail`, detail }];
  }
  if (isOfBook) return [];
  const rail = rails.find(({ name }) => name === route.rail);
  if (!rail) return [{ pointer: `${place}/rail`, detail: `/rails names no ${route.rail}.` }];
  const carries: readonly RoutedDestination[] = ADAPTERS[rail.adapter.type as AdapterType].carries;
  const faults: Fault[] = [];
  if (!carries.includes(route.destination)) {
    const detail = `The adapter ${rail.adapter.type} of this rail carries ${carries.join(', ')}.`;
    faults.push({ pointer: `${place}/destination`, detail });
  }
  for (const [index, currency] of route.currencies.entries()) {
    const carried = rail.currencies.find((one) => one.currency === currency);
    const pointer = `${place}/currencies/${index}`;
    if (!carried) {
      faults.push({ pointer, detail: `The rail ${rail.name} does not carry ${currency}.` });
      continue;
    }
    const range = rangeOf(carried);
    if (route.minimum !== undefined && route.minimum < range.minimum)
      faults.push({ pointer: `${place}/minimum`, detail: `The rail carries ${range.minimum} ${currency} at least.` });
    if (route.maximum !== undefined && route.maximum > range.maximum)
      faults.push({ pointer: `${place}/maximum`, detail: `The rail carries ${range.maximum} ${currency} at most.` });
    if (isEmpty(within(rangeOf(route), range)))
      faults.push({ pointer, detail: `The rail ${rail.name} carries none of the route's amounts in ${currency}.` });
  }
  return faults;
}

/** Two routes that could both carry a payout: which of them does would be a matter of their order. */
function overlaps(file: RailsFile): Fault[] {
  const byPair = new Map<string, (Route & { readonly pointer: string })[]>();
  const faults: Fault[] = [];
  for (const [at, part] of file.routes.entries()) {
    const mode = part.rail === BOOK_RAIL ? BOOK_RAIL : file.rails.find(({ name }) => name === part.rail)?.mode;
    for (const route of routesOf(file, part)) {
      const pair = `${mode} ${route.destination} ${route.currency}`;
      const before = byPair.get(pair) ?? [];
      const other = before.find((one) => !isEmpty(within(one, route)));
      if (other !== undefined && other.pointer !== `/routes/${at}`)
        faults.push({
          pointer: `/routes/${at}`,
          detail: `Overlaps ${other.pointer}: both carry ${route.destination} in ${route.currency} from ${within(other, route).minimum}.`,
        });
      byPair.set(pair, [...before, { ...route, pointer: `/routes/${at}` }]);
    }
  }
  return faults;
}

function faultsOfLimits({ limits }: RailsFile): Fault[] {
  return limits.flatMap((limit, at) => {
    const place = `/limits/${at}`;
    const first = limits.findIndex(({ mode, currency }) => mode === limit.mode && currency === limit.currency);
    const { payout, day, month } = limit;
    const faults: Fault[] = [];
    if (first < at)
      faults.push({ pointer: place, detail: `/limits/${first} limits ${limit.currency} in ${limit.mode} already.` });
    if (payout === undefined && day === undefined && month === undefined)
      faults.push({ pointer: place, detail: 'Expects a limit of a payout, a day or a month.' });
    if (day !== undefined && month !== undefined && month < day)
      faults.push({ pointer: `${place}/month`, detail: 'Is below the limit of a day, which would never apply.' });
    if (payout !== undefined && (day ?? month ?? payout) < payout)
      faults.push({ pointer: `${place}/payout`, detail: 'Is above the limit of a day or a month, and never applies.' });
    return faults;
  });
}

const EMPTY_RANGE = 'Is below the minimum.';

/** Amounts that a part names; without its ends, all that a request can have. */
export function rangeOf({
  minimum,
  maximum,
}: {
  minimum?: bigint | undefined;
  maximum?: bigint | undefined;
}): AmountRange {
  return { minimum: minimum ?? 1n, maximum: maximum ?? MAX_REQUEST_AMOUNT };
}

function within(one: AmountRange, other: AmountRange): AmountRange {
  return {
    minimum: one.minimum > other.minimum ? one.minimum : other.minimum,
    maximum: one.maximum < other.maximum ? one.maximum : other.maximum,
  };
}

const isEmpty = ({ minimum, maximum }: AmountRange) => maximum < minimum;

/** A route of the file as one for each of its currencies, within what its rail carries. */
export function routesOf(file: RailsFile, part: RoutePart): Route[] {
  const rail = file.rails.find(({ name }) => name === part.rail);
  const fee = file.fees.find(({ name }) => name === part.fee);
  return part.currencies.map((currency) => {
    const carried = rail?.currencies.find((one) => one.currency === currency);
    return {
      destination: part.destination,
      currency,
      ...within(rangeOf(part), rangeOf(carried ?? {})),
      rail: part.rail,
      fee: fee ? scheduleOf(fee) : null,
    };
  });
}

function scheduleOf(fee: FeePart): FeeSchedule {
  return {
    fixed: fee.fixed ?? 0n,
    basisPoints: BigInt(fee.basis_points),
    minimum: fee.minimum ?? null,
    maximum: fee.maximum ?? null,
    rounding: fee.rounding,
  };
}
