// What an integrator writes with a client of oapi-codegen. Run by ../run.ts beside the generated package `reference`.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/google/uuid"

	"client/reference"
)

func clientOf(baseURL string) *reference.ClientWithResponses {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	client, err := reference.NewClientWithResponses(os.Getenv(baseURL), reference.WithRequestEditorFn(withKey))
	if err != nil {
		log.Fatal(err)
	}
	return client
}

func read(baseURL, id string) (*reference.Payout, error) {
	answer, err := clientOf(baseURL).GetPayoutWithResponse(context.Background(), id, &reference.GetPayoutParams{})
	if err != nil {
		return nil, err
	}
	if answer.JSON200 == nil {
		return nil, fmt.Errorf("%s: %s", answer.Status(), answer.Body)
	}
	return answer.JSON200, nil
}

func pay(client *reference.ClientWithResponses) *reference.Payout {
	account := os.Getenv("ACCOUNT")
	wish := reference.CreatePayout{Amount: 5124, Currency: "JOD", Account: &account}
	err := wish.Destination.FromCliqDestinationInput(reference.CliqDestinationInput{
		Type:  reference.CliqDestinationInputTypeCliq,
		Alias: "SHOP1",
	})
	if err != nil {
		log.Fatal(err)
	}
	params := &reference.CreatePayoutParams{IdempotencyKey: uuid.NewString()}
	answer, err := client.CreatePayoutWithResponse(context.Background(), params, wish)
	if err != nil {
		log.Fatal(err)
	}
	if answer.JSON202 == nil {
		log.Fatalf("%s: %s", answer.Status(), answer.Body)
	}
	payout := answer.JSON202
	for payout.Status == "pending" || payout.Status == "processing" {
		time.Sleep(50 * time.Millisecond)
		if payout, err = read("API_URL", payout.Id); err != nil {
			log.Fatal(err)
		}
	}
	return payout
}

func sell(client *reference.ClientWithResponses) *reference.Payment {
	cvc := "123"
	sale := reference.CreatePayment{Amount: 25000, Currency: "JOD"}
	err := sale.Source.FromCardSource(reference.CardSource{
		Type: reference.CardSourceTypeCard, Number: "4242424242424242", ExpMonth: 12, ExpYear: 2034, Cvc: &cvc,
	})
	if err != nil {
		log.Fatal(err)
	}
	params := &reference.CreatePaymentParams{IdempotencyKey: uuid.NewString()}
	answer, err := client.CreatePaymentWithResponse(context.Background(), params, sale)
	if err != nil {
		log.Fatal(err)
	}
	if answer.JSON201 == nil {
		log.Fatalf("%s: %s", answer.Status(), answer.Body)
	}
	return answer.JSON201
}

func main() {
	client := clientOf("API_URL")
	payout := pay(client)
	fmt.Printf("pays=%s\n", payout.Status)
	fmt.Printf("nulls=%v,%v\n", payout.Failure, sell(client).Recurring)
	if newer, err := read("NEWER_VALUE_URL", payout.Id); err != nil {
		fmt.Printf("newer=%T\n", err)
	} else {
		fmt.Printf("newer=%s\n", newer.Status)
	}
	variant, err := read("NEW_VARIANT_URL", payout.Id)
	if err != nil {
		fmt.Printf("variant=%T\n", err)
		return
	}
	kind, _ := variant.Destination.Discriminator()
	if _, err := variant.Destination.ValueByDiscriminator(); err != nil {
		fmt.Printf("variant=%s, and `ValueByDiscriminator` returns an error for it\n", kind)
	} else {
		fmt.Printf("variant=%s\n", kind)
	}
}
