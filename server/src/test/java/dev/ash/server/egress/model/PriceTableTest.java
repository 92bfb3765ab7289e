package dev.ash.server.egress.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.server.egress.model.request.CallSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PriceTableTest {
    private static final TokenCounts INPUT = new TokenCounts(1_000_000, 0, 0, 0, 0, 0);
    private static final TokenCounts SMALL = new TokenCounts(1000, 0, 0, 0, 1000, 0);

    private static Prices prices(ModelProvider provider) {
        return PriceTable.builtIn().of(provider);
    }

    @ParameterizedTest
    @CsvSource({
        "ANTHROPIC, claude-sonnet-4-5-20250929, 18",
        "ANTHROPIC, claude-opus-4-1-20250805, 90",
        "OPENAI, gpt-5, 11.25",
        "OPENAI, gpt-5-2025-08-07, 11.25",
        "OPENAI, gpt-5-chat-latest, 11.25",
        "OPENAI, gpt-5.2-codex, 15.75",
        "OPENAI, gpt-6.1-sol, 12",
        "OPENAI, openai/gpt-5.2, 15.75",
        "OPENAI, anthropic/claude-sonnet-4.5, 18",
        "OPENAI, google/gemini-2.5-pro, 11.25",
        "GOOGLE, gemini-2.5-flash-preview-09-2025, 2.8",
        "GOOGLE, gemini-3.1-pro-preview-customtools, 14",
        "GOOGLE, models/gemini-2.5-pro, 11.25",
    })
    void findsModelsByNameAndVersion(ModelProvider provider, String model, double usd) {
        var prices = prices(provider);

        assertThat(prices.hasPrice(model)).isTrue();
        assertThat(prices.cost(model, SMALL) * 1000).isCloseTo(usd, within(1e-9));
    }

    @ParameterizedTest
    @CsvSource({
        "OPENAI, gpt-5-ultra",
        "OPENAI, gpt-50",
        "OPENAI, gpt-5.9",
        "OPENAI, claude-opus-5",
        "OPENAI, deepseek/deepseek-v4",
        "OPENAI, anthropic/claude-new",
        "OPENAI, openai/gpt-5.2:free",
        "GOOGLE, gemini-2.5-flash-lite-new",
        "GOOGLE, ''",
    })
    void chargesUnknownModelsLikeTheMostExpensiveOfTheProvider(
            ModelProvider provider, String model) {
        var prices = prices(provider);

        assertThat(prices.hasPrice(model)).isFalse();
        assertThat(prices.cost(model, SMALL))
                .isEqualTo(prices.table().maxCost(provider, SMALL, false))
                .isPositive();
        assertThat(prices.countingUnknownModels(false).cost(model, SMALL)).isZero();
    }

    @Test
    void tableOfBuildIsPlausible() throws IOException {
        try (var in = PriceTable.class.getResourceAsStream("prices.json")) {
            var text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            var providers = PriceFile.parse("prices.json", text, Map.of());

            assertThat(providers).containsOnlyKeys(ModelProvider.values());
            for (var provider : providers.values()) {
                assertThat(provider.models()).hasSizeGreaterThan(10);
                assertThat(provider.fees().priority()).isGreaterThan(1);
                assertThat(provider.models())
                        .allSatisfy(
                                (name, price) -> {
                                    var rates = price.rates();
                                    var longer = price.longPrompt().rates();
                                    assertThat(name).matches("[a-z0-9.-]+");
                                    assertThat(rates.output()).isGreaterThan(rates.input());
                                    assertThat(rates.cacheRead())
                                            .isPositive()
                                            .isLessThanOrEqualTo(rates.input());
                                    assertThat(longer.input())
                                            .isGreaterThanOrEqualTo(rates.input());
                                    assertThat(longer.output())
                                            .isGreaterThanOrEqualTo(rates.output());
                                });
            }
        }
    }

    @Test
    void appliesPricesOfLongPromptsAndOfPriority() {
        var google = prices(ModelProvider.GOOGLE);
        assertThat(google.cost("gemini-2.5-pro", INPUT)).isEqualTo(2.5);
        assertThat(google.cost("gemini-2.5-pro", new TokenCounts(100_000, 0, 0, 100_000, 0, 0)))
                .isCloseTo(0.1375, within(1e-12));
        assertThat(google.cost("gemini-2.5-pro", new TokenCounts(100_001, 0, 0, 100_000, 0, 0)))
                .isCloseTo(0.2750025, within(1e-12));

        var openAi = prices(ModelProvider.OPENAI).withPriority(true);
        assertThat(openAi.cost("gpt-5", SMALL)).isCloseTo(0.0225, within(1e-12));
        var size = new CallSize("gpt-5", 1000, 1000, 0, false, true);
        assertThat(openAi.estimate(size).costUsd()).isCloseTo(0.0225, within(1e-12));
    }

    @Test
    void overridesAndAddsModels() {
        var table =
                PriceTable.withOverrides(
                        "ASH_PRICES",
                        """
                        {"version": 1, "providers": {
                          "openai": {"date": "2027-01-01", "webSearch": 1, "models": {
                            "gpt-5": {"input": 100, "output": 200},
                            "local/llama": {"input": 0, "output": 0}}},
                          "google": {"models": {}}}}
                        """);

        var openAi = table.of(ModelProvider.OPENAI);
        assertThat(openAi.cost("gpt-5", SMALL)).isCloseTo(0.3, within(1e-12));
        assertThat(openAi.cost("local/llama", SMALL)).isZero();
        assertThat(openAi.cost("gpt-5.2", SMALL)).isCloseTo(0.01575, within(1e-12));
        assertThat(openAi.cost("gpt-5", new TokenCounts(0, 0, 0, 1_000_000, 0, 1)))
                .as("cached input without a price costs as much as input")
                .isEqualTo(101);
        assertThat(table.of(ModelProvider.GOOGLE).hasPrice("gemini-2.5-pro")).isTrue();
        assertThat(PriceTable.builtIn().of(ModelProvider.OPENAI).cost("gpt-5", SMALL))
                .isCloseTo(0.01125, within(1e-12));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x | is not a table of prices",
                "[] | is not a table of prices",
                "{} | providers must be an object",
                "{\"version\":2,\"providers\":{}} | version must be 1",
                "{\"prices\":{},\"providers\":{}} | prices is unknown; expected note, providers, version",
                "{\"providers\":{\"mistral\":{}}} | providers.mistral is not a provider with prices; expected anthropic, openai, google",
                "{\"providers\":{\"openai\":[]}} | providers.openai must be an object",
                "{\"providers\":{\"openai\":{\"models\":{\"m\":5}}}} | providers.openai.models.m must be an object",
                "{\"providers\":{\"openai\":{\"models\":{\"m\":{\"input\":1}}}}} | providers.openai.models.m.output is required",
                "{\"providers\":{\"openai\":{\"models\":{\"m\":{\"input\":-1,\"output\":1}}}}} | providers.openai.models.m.input must be a number from 0",
                "{\"providers\":{\"openai\":{\"models\":{\"m\":{\"input\":\"1\",\"output\":1}}}}} | providers.openai.models.m.input must be a number from 0",
                "{\"providers\":{\"openai\":{\"models\":{\"m\":{\"input\":1,\"output\":1,\"cached\":1}}}}} | providers.openai.models.m.cached is unknown",
                "{\"providers\":{\"openai\":{\"models\":{\"m\":{\"input\":1,\"output\":1,\"longPrompt\":{\"input\":1,\"output\":1}}}}}} | longPrompt.minTokens must be a number of tokens",
                "{\"providers\":{\"openai\":{\"webSearch\":1e99}}} | providers.openai.webSearch must be a number from 0 to 1,000,000",
            })
    void rejectsInvalidTablesAndNamesTheField(String json, String message) {
        assertThatThrownBy(() -> PriceTable.withOverrides("ASH_PRICES", json))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("ASH_PRICES")
                .hasMessageContaining(message);
    }
}
