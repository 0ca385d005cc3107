/** Schemas of errors: one object for every code, with the typed facts of each (problem-facts.ts). */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../errors/errors.ts';
import { PROBLEM_FACTS } from './problem-facts.ts';
import * as shown from './shown.ts';

export const errorCode = shown
  .oneOf(Object.keys(ERRORS) as ErrorCode[], {
    description: 'One of the catalogue at /docs/errors. Later releases add codes.',
  })
  .meta({ id: 'ErrorCode' });

const fault = z
  .object({
    code: errorCode,
    param: z.string().optional().meta({ description: 'What is at fault, as in the problem.', example: '/amount' }),
    detail: z.string().meta({ description: 'What is wrong with it, for people.' }),
  })
  .meta({ id: 'ProblemFault', description: 'One fault of a request.' });

const members = {
  type: z.string().meta({
    format: 'uri',
    description: 'A page of these docs about the code.',
    example: 'https://api.example.com/docs/errors/insufficient_funds',
  }),
  title: z.string().meta({ description: 'The code in words, the same for every problem of the code.' }),
  status: z.number().int().meta({ description: 'The HTTP status.', example: 422 }),
  detail: z.string().meta({ description: 'What is wrong with this request, for people.' }),
  code: errorCode,
  param: z.string().optional().meta({
    description:
      'What is at fault: a JSON pointer (RFC 6901) into the body, or the name of a query parameter or header.',
    example: '/amount',
  }),
  errors: z
    .array(fault)
    .meta({ description: 'All faults of form at once, or the one found after. The first is that of the answer.' }),
  errors_total: z.number().int().optional().meta({
    description: 'Of an upload: how many faults there are. `errors` has the first hundred.',
  }),
  errors_csv: z.string().optional().meta({
    description: 'Of an upload that was no dry run: where all its faults are read as CSV, for a day.',
    example: '/v1/payouts/batches/errors/pob_01jq8x6v0fe8g9t2m3n4p5q6r7',
  }),
  request_id: shown.id('request', 'This request, to be named to support.'),
  retryable: z
    .boolean()
    .meta({ description: 'Whether the same request, under the same Idempotency-Key, may succeed later.' }),
};

/**
 * Every error (RFC 9457). One object with the facts of every code as optional members, not a union of one schema a code:
 * a client must read the code that the next release adds.
 */
export const problem = z.looseObject({ ...members, ...factsOfEveryCode() }).meta({
  id: 'Problem',
  description: 'What went wrong. The typed facts of a code stand beside the members that every problem has.',
});

/** The problem of one code: it has the facts of this code, and those of no other. */
export function problemOf(code: ErrorCode) {
  return z.object({ ...members, ...PROBLEM_FACTS[code] });
}

function factsOfEveryCode(): z.ZodRawShape {
  const byName = new Map<string, { code: string; schema: z.ZodType }[]>();
  for (const [code, facts = {}] of Object.entries(PROBLEM_FACTS))
    for (const [name, schema] of Object.entries(facts))
      byName.set(name, [...(byName.get(name) ?? []), { code, schema: schema as z.ZodType }]);
  return Object.fromEntries([...byName].map(([name, uses]) => [name, factOf(uses)]));
}

/** The optional member that stands for a fact of several codes. */
function factOf(uses: readonly { code: string; schema: z.ZodType }[]): z.ZodType {
  const codesByText = new Map<string, string[]>();
  for (const { code, schema } of uses) {
    const text = descriptionOf(schema);
    codesByText.set(text, [...(codesByText.get(text) ?? []), `\`${code}\``]);
  }
  const description = [...codesByText].map(([text, codes]) => `With ${codes.join(', ')}: ${text}`).join('\n\n');
  const schemas = [...new Set(uses.map(({ schema }) => withoutOptional(schema)))];
  const schema = schemas.length === 1 ? schemas[0]! : z.union(schemas as [z.ZodType, z.ZodType]);
  return schema.optional().meta({ description });
}

function descriptionOf(schema: z.ZodType): string {
  return schema.meta()?.description ?? withoutOptional(schema).meta()?.description ?? '';
}

function withoutOptional(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
}
