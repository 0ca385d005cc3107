import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.PaymentsApi;
import org.openapitools.client.api.PayoutsApi;
import org.openapitools.client.model.CardSource;
import org.openapitools.client.model.CliqDestinationInput;
import org.openapitools.client.model.CreatePayment;
import org.openapitools.client.model.CreatePaymentSource;
import org.openapitools.client.model.CreatePayout;
import org.openapitools.client.model.CreatePayoutBatchItemDestination;
import org.openapitools.client.model.Payment;
import org.openapitools.client.model.Payout;

/** What an integrator writes with a client of openapi-generator's `java`. Run by ../run.ts among the generated sources. */
public class OpenapiGenerator {
  static ApiClient clientOf(String baseUrl) {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv(baseUrl));
    client.setBearerToken(System.getenv("API_KEY"));
    return client;
  }

  interface Member {
    Object of(Payout payout);
  }

  /** The member of the payout, or the class of the error that reading it ended with. */
  static String readLater(String baseUrl, String id, Member member) {
    try {
      return String.valueOf(member.of(new PayoutsApi(clientOf(baseUrl)).getPayout(id, null)));
    } catch (Exception error) {
      return error.getClass().getSimpleName();
    }
  }

  public static void main(String[] words) throws ApiException, InterruptedException {
    ApiClient client = clientOf("API_URL");
    PayoutsApi payouts = new PayoutsApi(client);
    CliqDestinationInput alias = new CliqDestinationInput().type(CliqDestinationInput.TypeEnum.CLIQ).alias("SHOP1");
    CreatePayout wish =
        new CreatePayout()
            .amount(5124L)
            .currency("JOD")
            .account(System.getenv("ACCOUNT"))
            .destination(new CreatePayoutBatchItemDestination(alias));
    Payout payout = payouts.createPayout(UUID.randomUUID().toString(), wish, null, null);
    while (payout.getStatus().equals("pending") || payout.getStatus().equals("processing")) {
      Thread.sleep(50);
      payout = payouts.getPayout(payout.getId(), null);
    }
    System.out.println("pays=" + payout.getStatus());

    CardSource card =
        new CardSource()
            .type(CardSource.TypeEnum.CARD)
            .number("4242424242424242")
            .expMonth(12)
            .expYear(2034)
            .cvc("123");
    CreatePayment sale = new CreatePayment().amount(25000L).currency("JOD").source(new CreatePaymentSource(card));
    Payment payment = new PaymentsApi(client).createPayment(UUID.randomUUID().toString(), sale, null, null);
    System.out.println("nulls=" + payout.getFailure() + "," + payment.getRecurring());

    System.out.println("newer=" + readLater("NEWER_VALUE_URL", payout.getId(), Payout::getStatus));
    System.out.println("variant=" + readLater("NEW_VARIANT_URL", payout.getId(), Payout::getDestination));
  }
}
