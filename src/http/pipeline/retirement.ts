/** How an operation retires (docs/compatibility.md): the headers of its answers, and its text in the reference. */
import type { Retirement } from '../../api/route.ts';

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the page of the policy: name, value, name, value. */
export function retirementHeaders({ deprecatedOn, sunsetOn }: Retirement, publicUrl: string): readonly string[] {
  return [
    'Deprecation',
    `@${Date.parse(deprecatedOn) / 1_000}`,
    'Sunset',
    new Date(sunsetOn).toUTCString(),
    'Link',
    `<${publicUrl}/docs/compatibility>; rel="deprecation"; type="text/html"`,
  ];
}

export function retirementText({ deprecatedOn, sunsetOn, instead }: Retirement): string {
  return `Deprecated since ${deprecatedOn}, and gone after ${sunsetOn}. ${instead}`;
}
