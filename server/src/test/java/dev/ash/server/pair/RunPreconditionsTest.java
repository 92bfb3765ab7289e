package dev.ash.server.pair;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.ProgressJson;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunPreconditionsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private static Progress over(String outcome) throws MalformedJsonException {
        return ProgressJson.read(
                RawJson.of(
                        "{\"step\":\"work\",\"outcome\":\"%s\",\"spent_ms\":3600000,\"input_tokens\":90,\"output_tokens\":10,\"cost_usd\":0.5}"
                                .formatted(outcome)));
    }

    @Test
    void rejectsResumingWithoutRaisingTheExceededLimit() throws MalformedJsonException {
        assertThatThrownBy(
                        () ->
                                RunPreconditions.requireBudget(
                                        new Budget(9, HOUR, HOUR, null, null, 3), over("timeout")))
                .hasMessageContaining("timeout: the run has used its time");
        assertThatThrownBy(
                        () ->
                                RunPreconditions.requireBudget(
                                        new Budget(9, HOUR.multipliedBy(2), HOUR, 100L, null, 3),
                                        over("budget_exhausted")))
                .hasMessageContaining("maxTokens: the run has used 100 tokens");
        assertThatThrownBy(
                        () ->
                                RunPreconditions.requireBudget(
                                        new Budget(9, HOUR.multipliedBy(2), HOUR, null, 0.5, 3),
                                        over("budget_exhausted")))
                .hasMessageContaining("maxCostUsd: the run has cost $0.50");
        assertThatCode(
                        () ->
                                RunPreconditions.requireBudget(
                                        new Budget(9, HOUR.multipliedBy(2), HOUR, 101L, 0.6, 3),
                                        over("budget_exhausted")))
                .doesNotThrowAnyException();
    }
}
