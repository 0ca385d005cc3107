//! What an integrator writes with a client of openapi-generator's `rust`. Run by ../run.ts beside the generated crate `reference`.
use reference::apis::configuration::Configuration;
use reference::apis::{payments_api, payouts_api, Error};
use reference::models::{card_source, cliq_destination_input};
use reference::models::{CardSource, CliqDestinationInput, CreatePayment, CreatePayout, Payout};
use serde_json::json;
use std::{env, error, time::Duration};

fn client_of(base_url: &str) -> Configuration {
    let mut client = Configuration::new();
    client.base_path = env::var(base_url).expect(base_url);
    client.bearer_access_token = env::var("API_KEY").ok();
    client
}

async fn read_later(base_url: &str, id: &str) -> Result<Payout, String> {
    match payouts_api::get_payout(&client_of(base_url), id, None).await {
        Ok(payout) => Ok(payout),
        Err(Error::Serde(_)) => Err("Error::Serde".to_owned()),
        Err(other) => Err(other.to_string()),
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn error::Error>> {
    let client = client_of("API_URL");
    let alias = CliqDestinationInput::new(cliq_destination_input::Type::Cliq, "SHOP1".to_owned());
    // The union's type has the name that the generator gave it. Its JSON is that of the variant.
    let mut wish = CreatePayout::new(5124, "JOD".to_owned(), serde_json::from_value(json!(alias))?);
    wish.account = env::var("ACCOUNT").ok();
    let key = uuid::Uuid::new_v4().to_string();
    let mut payout = payouts_api::create_payout(&client, &key, wish, None, None).await?;
    while payout.status == "pending" || payout.status == "processing" {
        tokio::time::sleep(Duration::from_millis(50)).await;
        payout = payouts_api::get_payout(&client, &payout.id, None).await?;
    }
    println!("pays={}", payout.status);

    let mut card = CardSource::new(card_source::Type::Card, "4242424242424242".to_owned(), 12, 2034);
    card.cvc = Some("123".to_owned());
    let sale = CreatePayment::new(25000, "JOD".to_owned(), serde_json::from_value(json!(card))?);
    let key = uuid::Uuid::new_v4().to_string();
    let payment = payments_api::create_payment(&client, &key, sale, None, None).await?;
    println!("nulls={:?},{:?}", payout.failure, payment.recurring);

    match read_later("NEWER_VALUE_URL", &payout.id).await {
        Ok(newer) => println!("newer={}", newer.status),
        Err(fault) => println!("newer={fault}"),
    }
    match read_later("NEW_VARIANT_URL", &payout.id).await {
        Ok(variant) => println!("variant={:?}", variant.destination),
        Err(fault) => println!("variant={fault}"),
    }
    Ok(())
}
