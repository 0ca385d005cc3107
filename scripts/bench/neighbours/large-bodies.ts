/** JSON bodies within a megabyte that cost as much work as such a body can. */
import { payoutRequest } from '../api-client.ts';

/** Leaves room beneath the limit of 1,048,576 bytes. */
const LARGE_BYTES = 1_000_000;
/** A body of this size took another book's p50 from 15 ms to 5.3 s. */
const FOUND_BYTES = 670_000;

/** Bodies with many members that no schema knows, members of metadata, or elements of a list. */
export function manyMembers(): string[] {
  const payout = payoutRequest('acct_00000000000000000000000000');
  const members = (bytes: number) => {
    const written: string[] = [];
    for (let length = 0, number = 0; length < bytes; number++) {
      const member = `"${number.toString(36)}":0`;
      written.push(member);
      length += member.length + 1;
    }
    return written.join(',');
  };
  const plain = JSON.stringify(payout).slice(0, -1);
  return [
    `${plain},${members(FOUND_BYTES)}}`,
    `${plain},"metadata":{${members(FOUND_BYTES)}}}`,
    `${plain},${members(LARGE_BYTES)}}`,
    `${plain},"metadata":[${'0,'.repeat(LARGE_BYTES / 2 - 200)}0]}`,
  ];
}
