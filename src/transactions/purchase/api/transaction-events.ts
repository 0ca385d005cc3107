import { type EventDocument, eventsOf } from '../../../api/event-document.ts';
import { transactionApi } from './transaction-routes.ts';

export const transactionEvents: EventDocument = {
  ...eventsOf(transactionApi, {
    summary: {
      'transaction.authorized': 'A card purchase was approved',
      'transaction.declined': 'A request of a card purchase was declined',
      'transaction.verified': 'A card was verified or its balance asked for',
      'transaction.advised': 'The network decided about a card purchase',
      'transaction.incremented': 'More of a card purchase was approved',
      'transaction.reversed': 'A card purchase was reversed',
      'transaction.expired': 'The authorization of a card purchase expired',
      'transaction.cleared': 'A card purchase cleared',
      'transaction.clearing_reversed': 'A clearing of a card purchase was reversed',
      'transaction.force_posted': 'A card purchase was posted that was never authorized',
      'transaction.refunded': 'A merchant refunded to a card',
      'transaction.refund_reversed': 'A refund to a card was reversed',
      'transaction.updated': 'A card purchase was changed by you',
    },
    when: {
      'transaction.authorized':
        'Held in the same commit. A single message is posted with it: then its entries are here, and no `transaction.cleared` follows.',
      'transaction.declined':
        '`decline_code` says why, `rules` shows all. Also of an increment: `status` stays that of the transaction.',
      'transaction.verified': 'Nothing is held.',
      'transaction.advised': 'Recorded as the network decided, also below the floor: then `flags` says so.',
      'transaction.incremented': 'The amount was added to what is held.',
      'transaction.reversed':
        'In part or all of it. What a single message had posted comes back: then its entry is here.',
      'transaction.expired':
        'By the own time of the book, or by `/expire`. A clearing that comes later is posted all the same.',
      'transaction.cleared': 'Posted in full, with the difference of the fee.',
      'transaction.clearing_reversed': 'Given back, with the difference of the fee. No hold is restored.',
      'transaction.force_posted': '`resembles` names the one open transaction that it may belong to.',
      'transaction.refunded':
        'Credited to the account. Credits of disputes that it overlaps are taken back in the same entry.',
      'transaction.refund_reversed': 'Taken back, below zero if need be: then `flags` says so.',
      'transaction.updated': 'By PATCH alone.',
    },
  }),
  // TransactionEvent is what /events shows: a message.
  schemaName: 'TransactionChanged',
};
