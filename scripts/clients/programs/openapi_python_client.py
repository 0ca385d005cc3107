"""What an integrator writes with a client of openapi-python-client. Run by ../run.ts beside the generated package `reference`."""

import os
import time
import uuid

from reference import AuthenticatedClient
from reference.api.payments import create_payment
from reference.api.payouts import create_payout, get_payout
from reference.models import (
    CardSource,
    CardSourceType,
    CliqDestinationInput,
    CliqDestinationInputType,
    CreatePayment,
    CreatePayout,
    Payment,
    Payout,
)


def client_of(base_url: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ[base_url], token=os.environ["API_KEY"])


def read_later(base_url: str, payout: Payout) -> Payout | str:
    try:
        return get_payout.sync(payout.id, client=client_of(base_url))
    except Exception as error:
        return type(error).__name__


client = client_of("API_URL")
wish = CreatePayout(
    amount=5124,
    currency="JOD",
    account=os.environ["ACCOUNT"],
    destination=CliqDestinationInput(type_=CliqDestinationInputType.CLIQ, alias="SHOP1"),
)
payout = create_payout.sync(client=client, body=wish, idempotency_key=str(uuid.uuid4()))
while isinstance(payout, Payout) and payout.status in ("pending", "processing"):
    time.sleep(0.05)
    payout = get_payout.sync(payout.id, client=client)
if not isinstance(payout, Payout):
    raise SystemExit(f"no payout: {payout}")
print(f"pays={payout.status}")

card = CardSource(type_=CardSourceType.CARD, number="4242424242424242", exp_month=12, exp_year=2034, cvc="123")
payment = create_payment.sync(
    client=client,
    body=CreatePayment(amount=25000, currency="JOD", source=card),
    idempotency_key=str(uuid.uuid4()),
)
if not isinstance(payment, Payment):
    raise SystemExit(f"no payment: {payment}")
print(f"nulls={payout.failure},{payment.recurring}")

newer = read_later("NEWER_VALUE_URL", payout)
print(f"newer={newer if isinstance(newer, str) else newer.status}")
variant = read_later("NEW_VARIANT_URL", payout)
print(f"variant={variant if isinstance(variant, str) else variant.destination}")
