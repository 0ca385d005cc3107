/**
 * Merchant category codes: four digits. Listed are those of ISO 18245 and those that schemes assign beside it (Visa Merchant Data Standards
 * Manual, Mastercard Quick Reference Booklet). The standard leaves 3000–3999 to schemes: airlines to 3350, car rental to 3500, lodging from
 * 3501; they name merchants there every year, so the whole range is listed. What is not listed is decided all the same, and flagged.
 */
const CODES = [
  // Agriculture, contractors, publishing.
  '0742-0744 0763 0780 1520 1711 1731 1740 1750 1761 1771 1799 2741 2791 2842',
  // Airlines, car rental and lodging by name.
  '3000-3999',
  // Transport.
  '4011 4111 4112 4119 4121 4131 4214 4215 4225 4411 4457 4468 4511 4582 4722 4723 4784 4789',
  // Telecommunication and utilities.
  '4812-4816 4821 4829 4899 4900',
  // Wholesale.
  '5013 5021 5039 5044-5047 5051 5065 5072 5074 5085 5094 5099 5111 5122 5131 5137 5139 5169 5172 5192 5193 5198 5199',
  // Home supplies, marketplaces, general merchandise, food.
  '5200 5211 5231 5251 5261 5262 5271 5300 5309-5311 5331 5399 5411 5422 5441 5451 5462 5499',
  // Vehicles and fuel; 5552 is charging.
  '5511 5521 5531-5533 5541 5542 5551 5552 5561 5571 5592 5598 5599',
  // Clothing, furniture, electronics.
  '5611 5621 5631 5641 5651 5655 5661 5681 5691 5697-5699 5712-5715 5718 5719 5722 5732-5735',
  // Restaurants, digital goods.
  '5811-5818',
  // Shops and direct marketing.
  '5912 5921 5931-5933 5935 5937 5940-5950 5960-5973 5975 5976 5978 5983 5992-5999',
  // Money: cash, securities, insurance, rent, transfers, stored value.
  '6010-6012 6050 6051 6211 6300 6381 6399 6513 6529-6538 6540 6555 6611 6760',
  // Lodging and personal services.
  '7011 7012 7032 7033 7210 7211 7216 7217 7221 7230 7251 7261 7273 7276-7278 7280 7295-7299',
  // Business services.
  '7311 7321 7322 7333 7338 7339 7342 7349 7361 7372 7375 7379 7392-7395 7399',
  // Rental, parking, repair.
  '7511-7513 7519 7523 7531 7534 7535 7538 7542 7549 7622 7623 7629 7631 7641 7692 7699',
  // Entertainment and betting.
  '7800-7802 7829 7832 7841 7911 7922 7929 7932 7933 7941 7991-7999',
  // Health, education, membership, professions.
  '8011 8021 8031 8041-8043 8049 8050 8062 8071 8099 8111 8211 8220 8241 8244 8249 8299 8351 8398 8641 8651 8661 8675',
  '8699 8734 8911 8931 8999',
  // Governments, and within a company.
  '9211 9222 9223 9311 9399 9402 9405 9406 9700-9702 9751 9752 9754 9950',
];

const LISTED: ReadonlySet<string> = new Set(CODES.flatMap((line) => line.split(' ')).flatMap(codesOf));

/** The codes of `5411` or `3501-3999`. */
function codesOf(entry: string): string[] {
  const [from, to] = boundsOf(entry);
  const codes: string[] = [];
  for (let code = Number(from); code <= Number(to); code++) codes.push(String(code).padStart(4, '0'));
  return codes;
}

/** First and last code of an entry of a list. Codes have four digits: their texts sort as their numbers. */
function boundsOf(entry: string): [from: string, to: string] {
  return [entry.slice(0, 4), entry.slice(-4)];
}

export function isListedMcc(mcc: string): boolean {
  return LISTED.has(mcc);
}

/** What is wrong with `5411` or `3501-3999` in a list, as a sentence; undefined for an entry that can match. */
export function mccEntryError(entry: string): string | undefined {
  if (!/^\d{4}(-\d{4})?$/.test(entry)) return 'Expects four digits, or two codes as a range, such as 3501-3999.';
  const [from, to] = boundsOf(entry);
  if (from > to) return `The range begins with ${from}, which is behind its end.`;
  if (!codesOf(entry).some(isListedMcc)) return `ISO 18245 and the schemes list no code of ${entry}.`;
  return undefined;
}

/** Whether a list of codes and ranges has the code. At most 500 entries: comparing them takes a few microseconds. */
export function hasMcc(entries: readonly string[], mcc: string): boolean {
  return entries.some((entry) => {
    const [from, to] = boundsOf(entry);
    return from <= mcc && mcc <= to;
  });
}

/** Whether two entries have a code in common. */
export function overlap(one: string, other: string): boolean {
  const [from, to] = boundsOf(one);
  const [otherFrom, otherTo] = boundsOf(other);
  return from <= otherTo && otherFrom <= to;
}
