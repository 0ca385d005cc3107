/**
 * Check digits of card numbers (ISO/IEC 7812-1, annex B): every second digit from the right counts double, and the sum is a multiple of
 * ten. `digits` has digits alone.
 */
export function isLuhnValid(digits: string): boolean {
  return luhnSum(digits) % 10 === 0;
}

/** The digit that, put behind these, makes the whole valid. */
export function luhnDigit(digits: string): string {
  return String((10 - (luhnSum(`${digits}0`) % 10)) % 10);
}

function luhnSum(digits: string): number {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const counted = index % 2 === 0 ? digit : 2 * digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum;
}
