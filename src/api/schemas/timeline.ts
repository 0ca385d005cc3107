import { z } from 'zod';
import * as shown from './shown.ts';

export const actor = z
  .object({
    type: shown.oneOf(['person', 'service', 'operator', 'system'], {
      description:
        '`person` and `service`: the owner of an API key. `operator`: who runs this installation. `system`: the product on its own.',
    }),
    id: z.string().nullable().meta({
      description:
        'Of a person `person_…`, of a service `svc_…`, of an operator the name, of the system the part that acted, such as `rail:sandbox`; null where there is none.',
    }),
    key: shown.id('apiKey').nullable().meta({ description: 'The API key that a person or a service acted with.' }),
  })
  .meta({ id: 'Actor', description: 'Who acted: the owner of an API key, an operator, or the product on its own.' });

const reason = z
  .object({
    code: z
      .string()
      .optional()
      .meta({ description: 'Of a payout that failed: its failure code.', example: 'alias_unregistered' }),
    message: z.string().optional().meta({ description: 'For people. Of an exception, the text of its explanation.' }),
    rail_code: z.string().nullable().optional().meta({ description: "Of a payout that failed: the rail's own code." }),
    evidence: z
      .string()
      .optional()
      .meta({ description: 'Of what an operator ended: the name of the file of evidence.' }),
    evidence_sha256: z
      .string()
      .optional()
      .meta({ description: 'Of what an operator ended: the SHA-256 of that file.' }),
  })
  .meta({ id: 'TimelineReason', description: 'Why an object changed.' });

const attempt = z
  .object({
    endpoint: shown.id('webhookEndpoint'),
    attempt: z.number().int().meta({ description: 'Counts from 1.' }),
    at: shown.time('When it began, in wall time.'),
    duration_ms: z.number().int().meta({ description: 'How long it took, in milliseconds.' }),
    status: z.number().int().nullable().meta({ description: 'HTTP status; null when no answer came.' }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why there was no answer, or it does not count.', example: 'timeout' }),
  })
  .meta({ id: 'TimelineWebhookAttempt', description: 'An attempt to deliver the event to an endpoint.' });

const line = z.number().int().meta({ description: 'The place in it, counted from 1.' });
const bankFiles = z
  .object({
    sent: z
      .object({
        file: z.string().meta({ description: 'The name of the file.' }),
        message_id: z.string().meta({ description: 'Its MsgId.' }),
        line,
      })
      .optional()
      .meta({ description: 'The file that it was sent to the bank in.' }),
    reported_by: z
      .object({ file: z.string().meta({ description: "The name of the bank's file." }), line })
      .optional()
      .meta({ description: 'The file in which the bank reported it.' }),
  })
  .meta({
    id: 'TimelineBankFiles',
    description: 'Files between the operator and a bank: on a rail that works by files.',
  });

const item = z
  .object({
    at: shown.time("When it happened, in the book's own time."),
    event: shown.id('event', 'The event that tells of it.'),
    type: z.string().meta({ description: 'The type of the event.', example: 'payout.paid' }),
    status: z.string().nullable().meta({ description: 'The status it went to.' }),
    reason: shown.orNull(reason).meta({ description: 'Why, where there is a why.' }),
    previous_attributes: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Every attribute that changed, with its value before, as in the event.' }),
    actor,
    request_id: shown.id('request', 'The request that it began with.'),
    journal_entries: shown.entries('The entries that the change was booked by.'),
    bank_files: bankFiles.optional().meta({
      description: 'Of what a bank reported by a file: that file, and the file that it was sent in. Missing elsewhere.',
    }),
    webhook_attempts: z.array(attempt).meta({ description: 'Attempts to deliver the event, in order.' }),
  })
  .meta({ id: 'TimelineItem', description: 'One change of the object.' });

export const timeline = z
  .object({
    object: z.literal('timeline'),
    data: z.array(item).meta({ description: 'The changes of this page.' }),
    ...shown.pageMembers,
  })
  .meta({ id: 'Timeline', description: 'Every change of one object, oldest first.' });
