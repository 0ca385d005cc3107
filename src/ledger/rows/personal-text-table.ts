/** The rows of personal texts. Added with the first event or answer that refers to them; erased by the owner, with their salt. */
import { type Codec, column } from '../../db/declared-columns.ts';
import { newSalt, type PersonalText } from './personal-text.ts';
import { WRITE_ORDER } from './table.ts';
import { logOf } from './table-of.ts';

/** A row from before texts were kept apart, and an erased one, has no salt: it is given one with its next change. */
export const SALT_FOR_NONE: Codec<Buffer> = { read: (stored: Buffer | null) => stored ?? newSalt() };

export const personalTexts = logOf<PersonalText>({
  name: 'personal_texts',
  writeOrder: WRITE_ORDER.resourceChildren,
  ifNew: true,
  columns: [
    column('reference', 'hex'),
    column('object', 'code', ({ owner }) => owner.object),
    column('object_id', 'uuid', ({ owner }) => owner.objectId),
    column('field', 'code'),
    column('salt', 'bytea', ({ owner }) => owner.salt),
    column('text', 'text', { personal: true, cardNumber: 'copied' }),
  ],
});
