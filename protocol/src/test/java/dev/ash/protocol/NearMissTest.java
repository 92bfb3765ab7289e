package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearMissTest {
    private static final List<String> KNOWN =
            List.of("agent", "content", "workingDirectory", "PORT", "MAX_SANDBOXES", "HOST");

    @ParameterizedTest
    @CsvSource({
        "Agent, agent",
        "agentName, agent",
        "contnet, content",
        "working_directory, workingDirectory",
        "PROT, PORT",
        "MAX_SANDBOX, MAX_SANDBOXES",
        "MAXSANDBOXES, MAX_SANDBOXES",
        "HOSTS, HOST",
    })
    void findsMostSimilarName(String name, String expected) {
        assertThat(NearMiss.of(name, KNOWN)).contains(expected);
    }

    @ParameterizedTest
    @CsvSource({"prompt", "x", "'...'", "DATABASE_URL", "é"})
    void findsNoDissimilarName(String name) {
        assertThat(NearMiss.of(name, KNOWN)).isEmpty();
    }

    @Test
    void ignoresVeryLongNames() {
        assertThat(NearMiss.of("agent".repeat(1_000_000), KNOWN)).isEmpty();
    }
}
