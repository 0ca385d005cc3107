"""What an integrator writes with a client of openapi-generator's `python`. Run by ../run.ts beside the generated package `reference`."""

import os
import time
import uuid

from reference import ApiClient, Configuration, PaymentsApi, PayoutsApi
from reference.models import CreatePayment, CreatePayout, Payout


def client_of(base_url: str) -> ApiClient:
    return ApiClient(Configuration(host=os.environ[base_url], access_token=os.environ["API_KEY"]))


def read_later(base_url: str, payout: Payout) -> Payout | str:
    try:
        return PayoutsApi(client_of(base_url)).get_payout(payout.id)
    except Exception as error:
        return type(error).__name__


client = client_of("API_URL")
payouts = PayoutsApi(client)
wish = CreatePayout.from_dict(
    {
        "amount": 5124,
        "currency": "JOD",
        "account": os.environ["ACCOUNT"],
        "destination": {"type": "cliq", "alias": "SHOP1"},
    }
)
payout = payouts.create_payout(str(uuid.uuid4()), wish)
while payout.status in ("pending", "processing"):
    time.sleep(0.05)
    payout = payouts.get_payout(payout.id)
print(f"pays={payout.status}")

card = {"type": "card", "number": "4242424242424242", "exp_month": 12, "exp_year": 2034, "cvc": "123"}
sale = CreatePayment.from_dict({"amount": 25000, "currency": "JOD", "source": card})
payment = PaymentsApi(client).create_payment(str(uuid.uuid4()), sale)
print(f"nulls={payout.failure},{payment.recurring}")

newer = read_later("NEWER_VALUE_URL", payout)
print(f"newer={newer if isinstance(newer, str) else newer.status}")
variant = read_later("NEW_VARIANT_URL", payout)
print(f"variant={variant if isinstance(variant, str) else variant.destination}")
