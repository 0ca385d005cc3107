/** A process of its own: the least that an Express app does with the request, to compare the product with. */
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.use(express.json());
const STATUSES: Readonly<Record<string, number>> = { '/v1/transactions': 200, '/v1/journal/entries': 201 };
let answer: unknown;
app.post(['/v1/payouts', '/v1/payments', '/v1/transactions', '/v1/journal/entries'], (request, response) => {
  response.status(STATUSES[request.path] ?? 202).json(answer);
});

/** The parent sends the answer to give, and receives the port. */
process.once('message', (message) => {
  answer = message;
  const server = app.listen(0, '127.0.0.1', () => {
    process.send!((server.address() as AddressInfo).port);
  });
});
process.once('disconnect', () => process.exit());
