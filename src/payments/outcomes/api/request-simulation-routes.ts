/** Test mode: the payer's answer to a request to pay. */
import { askedBy, runUseCase } from '../../../api/run-use-case.ts';
import { simulationRoute } from '../../../api/simulations.ts';
import { payment } from '../../payment/api/payment-schemas.ts';
import { type SimulateRequest, simulateRequest } from '../simulate-request.ts';

function simulation(
  name: SimulateRequest['simulation'],
  { operation, summary, description }: { operation: string; summary: string; description: string },
) {
  return simulationRoute({
    path: `/v1/simulations/payments/:id/${name}`,
    operation,
    summary,
    description,
    params: { id: 'payment' },
    responses: { 200: { description: 'The payment after it.', schema: payment } },
    errors: ['state_conflict'],
    handle: (request) =>
      runUseCase(request, simulateRequest, { ...askedBy(request), paymentId: request.params.id!, simulation: name }),
  });
}

export const requestSimulationRoutes = [
  simulation('approve', {
    operation: 'simulatePaymentApproved',
    summary: 'Simulate that a request to pay is approved',
    description: 'The payer approves it at their bank, and has paid.',
  }),
  simulation('decline', {
    operation: 'simulatePaymentDeclined',
    summary: 'Simulate that a request to pay is declined',
    description: 'The payer declines it.',
  }),
  simulation('expire', {
    operation: 'simulatePaymentExpired',
    summary: 'Simulate that a request to pay expires',
    description: 'Nobody answers it in time: the acquirer takes it back.',
  }),
];
