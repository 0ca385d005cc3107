/**
 * Sends an instruction to its party and finds out its outcome: submits it under one id, inquires while the outcome is
 * unknown, and submits it again if the party never received it. The group of the instruction books the outcome.
 */
import type { Instant } from '../../values/clock.ts';
import { askParty, type CallOutcome, inquireAtParty } from '../calls/ask-party.ts';
import type { NotFound, Party, PartyAnswer } from '../party/party.ts';
import { afterNotFound, finalAfter } from './inquiry.ts';

/** How a group sends its instructions to one kind of party. */
export interface Sender<Instruction, Answer extends PartyAnswer> {
  party(instruction: Instruction): Party;
  endToEndId(instruction: Instruction): string;
  /** When it was first attempted: the party's time limit runs from then. */
  sentAt(instruction: Instruction): Instant;
  /** The party rejects it after `notAfter`. */
  submit(instruction: Instruction, notAfter: Instant): Promise<Answer>;
  inquire(instruction: Instruction): Promise<Answer | NotFound>;
  /** Called if the party does not know an instruction that it would still accept. False: inquire again instead. */
  maySendAgain(instruction: Instruction): Promise<boolean>;
  /** Books the outcome, by a command. */
  take(instruction: Instruction, outcome: SendOutcome<Answer>): Promise<void>;
}

export type SendOutcome<Answer> = { readonly call: 'submit' | 'inquire' } & (
  | CallOutcome<Answer>
  /** `never`: the party will not accept the id any more, so nothing was moved and nothing will be. */
  | { readonly result: 'not_found'; readonly never: boolean; readonly answer: NotFound }
);

/**
 * Submits the instruction, for the first time or again. An earlier attempt that was killed is harmless: the party knows
 * the id.
 */
export async function submitInstruction<Instruction, Answer extends PartyAnswer>(
  sender: Sender<Instruction, Answer>,
  instruction: Instruction,
): Promise<void> {
  const notAfter = finalAfter(sender.party(instruction), sender.sentAt(instruction));
  const outcome = await askParty(sender.endToEndId(instruction), () => sender.submit(instruction, notAfter));
  await sender.take(instruction, { call: 'submit', ...outcome });
}

/**
 * For an instruction without a known outcome: inquires, and submits it again under the same id if the party never
 * received it.
 */
export async function inquireInstruction<Instruction, Answer extends PartyAnswer>(
  sender: Sender<Instruction, Answer>,
  instruction: Instruction,
  now: () => Instant,
): Promise<void> {
  const outcome = await inquireAtParty(sender.endToEndId(instruction), () => sender.inquire(instruction));
  if (outcome.result !== 'not_found') return sender.take(instruction, { call: 'inquire', ...outcome });
  const { answer } = outcome;
  const next = afterNotFound(sender.party(instruction), answer, { sentAt: sender.sentAt(instruction), now: now() });
  if (next === 'send_again' && (await sender.maySendAgain(instruction))) return submitInstruction(sender, instruction);
  await sender.take(instruction, { call: 'inquire', result: 'not_found', never: next === 'never_received', answer });
}
