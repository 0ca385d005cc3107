/**
 * A connection to a Postgres that takes writes. After a failover an address may lead to a hot standby for a while, and a
 * connection made then stays there: it reads rows that grow old, and everything that writes or listens fails on it for
 * good. So no pool hands out a connection to a standby, and a connection whose server answers that it is read-only ends at
 * once. The pool's next connection reaches the server to which the address leads by then.
 */
import pg from 'pg';

/** `read_only_sql_transaction`, also for what a standby cannot do: LISTEN, locks of rows. */
const READ_ONLY = '25006';

/** The error that Postgres would answer to a write, so that it is handled like one (postgres-errors.ts). */
class ReadOnlyServer extends Error {
  override name = 'ReadOnlyServer';
  readonly code = READ_ONLY;

  constructor() {
    super('The address of the database leads to a server that is read-only, such as a standby');
  }
}

export class WritableClient extends pg.Client {
  /** As Postgres reports it with every connection, and again when it changes (version 14 and later). */
  #reportsStandby = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    this.connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'in_hot_standby') this.#reportsStandby = parameterValue === 'on';
    });
    // The statement gets its error before the connection breaks.
    this.connection.on('errorMessage', ({ code }) => {
      if (code === READ_ONLY) this.connection.stream.destroy(new ReadOnlyServer());
    });
  }

  /** Throws ReadOnlyServer on a standby. Costs a round trip only where one is reported: a pooler may remember what was. */
  async refuseStandby(): Promise<void> {
    if (!this.#reportsStandby) return;
    const { rows } = await this.query<{ standby: boolean }>('SELECT pg_catalog.pg_is_in_recovery() AS standby');
    if (rows[0]?.standby) throw new ReadOnlyServer();
  }
}

/** Options of a pool of such connections. pg.Pool asks `verify` about each new connection before it hands it out. */
export const WRITABLE: Pick<pg.PoolConfig, 'Client' | 'verify'> = {
  Client: WritableClient,
  verify: (client, done) => {
    (client as unknown as WritableClient).refuseStandby().then(() => done(), done);
  },
};
