/** A process of its own: the least an Express app can do with the request, to measure the product against. */
import type { AddressInfo } from 'node:net';
import express from 'express';

const app = express();
app.use(express.json());
let answer: unknown;
app.post('/v1/payouts', (_request, response) => {
  response.status(202).json(answer);
});

/** The parent says what to answer and hears the port. */
process.once('message', (message) => {
  answer = message;
  const server = app.listen(0, '127.0.0.1', () => {
    process.send!((server.address() as AddressInfo).port);
  });
});
process.once('disconnect', () => process.exit());
