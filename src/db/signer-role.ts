/**
 * The signer's role reads the journal, and adds checkpoints and the nodes of their trees. The application's login
 * cannot put a false checkpoint before the key, and the signer's login cannot change what it signs.
 */
import { SIGNED_TABLES } from './grants.ts';
import type { Pool } from './pool.ts';
import { checkSettings, DatabaseRoleError, readRole, readTableRights } from './roles.ts';

const ROLE_REMEDY =
  "SIGNER_DATABASE_URL must name a role of its own, without membership in others: CREATE ROLE countinghouse_signer LOGIN PASSWORD '…'; then `npm run migrate` with SIGNER_DATABASE_URL gives it its rights.";
const MIGRATE_REMEDY =
  'Run `npm run migrate` with DATABASE_OWNER_URL, DATABASE_URL and SIGNER_DATABASE_URL. It takes back what was granted to this role; what was granted to PUBLIC or to another role must be revoked there.';

/**
 * Refuses a signer's role that is a superuser or the application's role, owns or may create anything in the schema, may write
 * more than checkpoints and their nodes, or has settings that do not fit. Throws DatabaseRoleError.
 */
export async function checkSignerRole(signer: Pool, application: Pool): Promise<void> {
  const role = await readRole(signer);
  const who = `The role ${role.name} of SIGNER_DATABASE_URL`;
  if (role.superuser) throw new DatabaseRoleError(`${who} is a superuser: it could change what it signs.`, ROLE_REMEDY);
  if ((await readRole(application)).name === role.name)
    throw new DatabaseRoleError(`${who} is the application's role, that of DATABASE_URL.`, ROLE_REMEDY);
  if (role.creates) throw new DatabaseRoleError(`${who} may create objects in the schema public.`, MIGRATE_REMEDY);
  for (const { name, owns, reads, inserts, writes } of await readTableRights(signer)) {
    if (owns) throw new DatabaseRoleError(`${who} owns ${name}, or is a member of the role that does.`, ROLE_REMEDY);
    const isSigned = SIGNED_TABLES.includes(name);
    const beyond = writes.filter((right) => !isSigned || right !== 'INSERT');
    if (beyond.length > 0)
      throw new DatabaseRoleError(
        `${who} may ${beyond.join(', ')} ${name}, itself or through a role it is a member of.`,
        MIGRATE_REMEDY,
      );
    if (isSigned && !(reads && inserts))
      throw new DatabaseRoleError(`${who} may not read and insert ${name}.`, MIGRATE_REMEDY);
  }
  await checkSettings(signer, { role: role.name, variable: 'SIGNER_DATABASE_URL' });
}
