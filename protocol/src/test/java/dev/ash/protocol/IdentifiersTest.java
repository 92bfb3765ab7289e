package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdentifiersTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "550e8400",
                "550E8400-E29B-41D4-A716-446655440000",
                "550e8400e29b41d4a716446655440000",
                "550e8400-e29b-41d4-a716-446655440000\n",
                " 550e8400-e29b-41d4-a716-446655440000",
                "550e8400-e29b-41d4-a716-44665544000g",
                "../../etc/passwd-41d4-a716-446655440000"
            })
    void rejectsIdsThatAreNotLowerCaseUuids(String value) {
        assertInvalid(() -> new SessionId(value), "sessionId: must be a lower-case UUID");
        assertInvalid(() -> new SandboxId(value), "sandboxId: must be a lower-case UUID");
        assertInvalid(() -> new TurnId(value), "turnId: must be a lower-case UUID");
    }

    @Test
    void printsIdsAsTheirValue() {
        var value = "550e8400-e29b-41d4-a716-446655440000";

        assertThat(new SessionId(value)).hasToString(value);
        assertThat(new TurnId(value)).hasToString(value);
        assertThat(new SandboxId(value)).hasToString(value);
        assertThat(new SandboxId(value).shortId()).isEqualTo("550e8400");
    }

    @Test
    void randomIdsDiffer() {
        assertThat(SessionId.random()).isNotEqualTo(SessionId.random());
        assertThat(SandboxId.random()).isNotEqualTo(SandboxId.random());
        assertThat(TurnId.random()).isNotEqualTo(TurnId.random());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "qa-bot", "QA_bot-7", "_", "-"})
    void acceptsValidAgentNames(String name) {
        assertThat(new AgentName(name)).hasToString(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a/b", "a b", "a\n", "é", "a\0", "a%2fb"})
    void rejectsAgentNamesThatCouldBePaths(String name) {
        assertInvalid(() -> new AgentName(name), "name: must be 1 to 255 characters");
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void limitsLengthOfNames(Consumer<String> constructor, int maxLength) {
        constructor.accept("a".repeat(maxLength));
        assertInvalid(
                () -> constructor.accept("a".repeat(maxLength + 1)), "must be 1 to " + maxLength);
    }

    @Test
    void hasDefaultTenant() {
        assertThat(TenantId.DEFAULT).hasToString("default");
    }

    static Stream<Object[]> lengths() {
        return Stream.of(
                new Object[] {(Consumer<String>) AgentName::new, 255},
                new Object[] {(Consumer<String>) TenantId::new, 64});
    }

    private static void assertInvalid(Runnable constructor, String message) {
        assertThatThrownBy(constructor::run)
                .isInstanceOf(ApiException.class)
                .hasMessageContaining(message)
                .extracting(failure -> ((ApiException) failure).code())
                .isEqualTo(ErrorCode.VALIDATION_FAILED);
    }
}
