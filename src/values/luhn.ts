/**
 * ISO/IEC 7812-1, annex B: every second digit from the right counts double, and the sum is a multiple of ten. `digits` has digits
 * alone.
 */
export function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const counted = index % 2 === 0 ? digit : 2 * digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}
