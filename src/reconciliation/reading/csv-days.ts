/** Days as a column of CSV writes them. */
export const DATE_FORMATS = [
  'YYYY-MM-DD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'YYYYMMDD',
  'DD-MM-YYYY',
  'DD.MM.YY',
] as const;

export type DateFormat = (typeof DATE_FORMATS)[number];

const FORMS = new Map(
  DATE_FORMATS.map((format) => {
    const pattern = format.replaceAll('.', '\\.').replace('YYYY', '(?<year>\\d{4})').replace('YY', '(?<year>\\d{2})');
    return [format, new RegExp(`^${pattern.replace('MM', '(?<month>\\d{2})').replace('DD', '(?<day>\\d{2})')}$`)];
  }),
);

/** YYYY-MM-DD, which may be no day of the calendar. Undefined where it is not of this form. */
export function writtenDay(text: string, format: DateFormat): string | undefined {
  const groups = FORMS.get(format)!.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { year = '', month, day } = groups;
  return `${year.length === 2 ? `20${year}` : year}-${month}-${day}`;
}

/** The forms in which each of the texts is a day of the calendar. None of no texts. */
export function formatsOf(texts: readonly string[]): DateFormat[] {
  return DATE_FORMATS.filter((format) => texts.length > 0 && texts.every((text) => isDay(writtenDay(text, format))));
}

function isDay(day: string | undefined): boolean {
  const time = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === day;
}
