/** What the records of the sandbox processor answer. */
import { deriveId } from '../values/ids.ts';
import { type ProcessorAnswer, ProcessorUnreachable } from './processor.ts';
import type { CardholderScript } from './sandbox-cardholders.ts';
import type { InstructionRecord, RecordStatus } from './sandbox-processor-store.ts';

/** The network of the sandbox's BIN. */
const NETWORK = 'visa';

/** The same on every call about an instruction. Throws ProcessorUnreachable for one that was lost. */
export function answerOf(record: InstructionRecord): ProcessorAnswer {
  const { status, reference, kind, code, card, ofCard, processorReference } = record;
  if (status === 'never') throw new ProcessorUnreachable('The instruction was lost on its way, as the cardholder asks');
  const made = status === 'succeeded' ? card : null;
  return {
    status,
    endToEndId: reference,
    reference: processorReference,
    ...(code === null ? {} : { code }),
    ...(made === null ? {} : { card: { ...made, network: NETWORK } }),
    raw: {
      reference,
      processor_reference: processorReference,
      kind,
      status,
      ...(ofCard === null ? {} : { of: ofCard }),
      ...(code === null ? {} : { code }),
      ...(made === null ? {} : { card_reference: made.cardReference, last_four: made.lastFour }),
    },
  };
}

/** The outcome of an order for a card, by its cardholder. */
export function judged(script: CardholderScript): Pick<InstructionRecord, 'status' | 'code'> {
  switch (script) {
    case 'refused':
    case 'refused_unanswered':
      return { status: 'declined', code: 'cardholder_refused' };
    case 'lost':
      return { status: 'never', code: null };
    case 'pending':
      return { status: 'pending', code: null };
    default:
      return { status: 'succeeded', code: null };
  }
}

export function makesCard(status: RecordStatus): boolean {
  return status === 'succeeded' || status === 'pending';
}

/** Whether the connection drops before the answer. */
export function breaksOff(script: CardholderScript): boolean {
  return script === 'unanswered' || script === 'refused_unanswered';
}

export function processorReference(originator: string, reference: string): string {
  return `SBP${derived('sandbox-processor', originator, reference)}`;
}

/** Of the card that an instruction makes. */
export function cardReference(originator: string, reference: string): string {
  return `SBC${derived('sandbox-processor-card', originator, reference)}`;
}

function derived(purpose: string, originator: string, reference: string): string {
  return deriveId(purpose, originator, reference).replaceAll('-', '').slice(0, 24).toUpperCase();
}
