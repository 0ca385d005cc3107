"""What an integrator writes with models of datamodel-code-generator, and httpx. Run by ../run.ts beside the generated `reference.py`."""

import os
import time
import uuid

import httpx
from pydantic import BaseModel
from reference import CardSource, CliqDestinationInput, CreatePayment, CreatePayout, Payment, Payout


def client_of(base_url: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}
    return httpx.Client(base_url=os.environ[base_url], headers=headers)


def post(path: str, body: BaseModel) -> bytes:
    answer = client.post(
        path,
        content=body.model_dump_json(exclude_none=True),
        headers={"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())},
    )
    return answer.raise_for_status().content


def read(base_url: str, payout_id: str) -> Payout:
    answer = client_of(base_url).get(f"/v1/payouts/{payout_id}").raise_for_status()
    return Payout.model_validate_json(answer.content)


def read_later(base_url: str, payout_id: str) -> Payout | str:
    try:
        return read(base_url, payout_id)
    except Exception as error:
        return type(error).__name__


client = client_of("API_URL")
wish = CreatePayout(
    amount=5124,
    currency="JOD",
    account=os.environ["ACCOUNT"],
    destination=CliqDestinationInput(type="cliq", alias="SHOP1"),
)
payout = Payout.model_validate_json(post("/v1/payouts", wish))
while payout.status in ("pending", "processing"):
    time.sleep(0.05)
    payout = read("API_URL", payout.id)
print(f"pays={payout.status}")

card = CardSource(type="card", number="4242424242424242", exp_month=12, exp_year=2034, cvc="123")
payment = Payment.model_validate_json(
    post("/v1/payments", CreatePayment(amount=25000, currency="JOD", source=card))
)
print(f"nulls={payout.failure},{payment.recurring}")

newer = read_later("NEWER_VALUE_URL", payout.id)
print(f"newer={newer if isinstance(newer, str) else newer.status}")
variant = read_later("NEW_VARIANT_URL", payout.id)
print(f"variant={variant if isinstance(variant, str) else variant.destination}")
