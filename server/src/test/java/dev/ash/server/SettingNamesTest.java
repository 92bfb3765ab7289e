package dev.ash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingNamesTest {
    private static final Path FILE = Path.of("/data/config.json");
    private static final Pattern NAME = Pattern.compile("ASH_[A-Z0-9_]*[A-Z0-9]");

    /** Prefixes of names in sources, and names in examples. */
    private static final Set<String> NOT_NAMES =
            Set.of("ASH_SANDBOX", "ASH_MAX_SANDBOX", "ASH_TEST", "ASH_E", "ASH_E2E", "ASH_BENCH");

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource({
        "ASH_PROT, ASH_PORT",
        "ASH_HOSTNAME, ASH_HOST",
        "ASH_IDLE_TIMEOUT, ASH_IDLE_TIMEOUT_MS",
        "ASH_ALOWED_ORIGINS, ASH_ALLOWED_ORIGINS",
        "ASH_DATADIR, ASH_DATA_DIR",
        "ASH_BRIDGE_ENTRY, use ASH_BRIDGE_COMMAND",
        "ASH_SNAPSHOT_URL, not available yet",
        "ASH_XYZZY, docs/configuration.md",
    })
    void warnsAboutUnknownNames(String name, String hint) {
        assertThat(SettingNames.warnings(Set.of(name, "PATH"), Set.of(), FILE))
                .singleElement()
                .asString()
                .startsWith(name + " is not a setting and has no effect; ")
                .contains(hint);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ASH_PORT",
                "ASH_SERVER_URL",
                "ASH_SANDBOX_ID",
                "ASH_HEAP_MB",
                "ASH_TEST_CLAUDE",
                "ASH_E2E_KEEP",
                "ASH_BENCH_JVM",
                "ASHTRAY",
                "ash_port",
                "DATABASE_URL"
            })
    void doesNotWarnAboutKnownNames(String name) {
        assertThat(SettingNames.warnings(Set.of(name), Set.of(), FILE)).isEmpty();
    }

    @Test
    void warnsAboutUnknownNamesInFile() {
        assertThat(
                        SettingNames.warnings(
                                Set.of(),
                                Set.of("ASH_PROT", "port", "ASH_HOST", "ASH_DATA_DIR"),
                                FILE))
                .containsExactly(
                        "/data/config.json: \"ASH_DATA_DIR\" has no effect there; set it in the environment",
                        "/data/config.json: \"ASH_PROT\" is not a setting and has no effect; did you mean ASH_PORT?",
                        "/data/config.json: \"port\" is not a setting and has no effect; did you mean ASH_PORT?");
    }

    @Test
    void limitsNumberAndLengthOfWarnings() {
        var names = new TreeSet<String>();
        IntStream.range(0, 1000).forEach(i -> names.add("ASH_" + i + "\n" + "y".repeat(10_000)));

        var warnings = SettingNames.warnings(names, Set.of(), FILE);

        assertThat(warnings)
                .hasSize(21)
                .last()
                .isEqualTo("980 more names in the settings have no effect");
        assertThat(warnings)
                .allSatisfy(text -> assertThat(text).hasSizeLessThan(300).doesNotContain("\n"));
    }

    @Test
    void containsEveryNameInSourcesAndDocumentation() throws IOException {
        var names = new TreeSet<String>();
        for (var root : List.of("src/main/java", "../docs")) {
            try (var files = Files.walk(Path.of(root))) {
                for (var file : files.filter(Files::isRegularFile).toList()) {
                    if (!file.endsWith("SettingNames.java") && !file.toString().contains("/adr/")) {
                        NAME.matcher(Files.readString(file))
                                .results()
                                .forEach(found -> names.add(found.group()));
                    }
                }
            }
        }
        names.removeAll(NOT_NAMES);

        assertThat(names).contains("ASH_PORT", "ASH_GATEWAY_PORT");
        assertThat(names).allMatch(SettingNames::isKnown, "is in SettingNames");
    }

    @ParameterizedTest
    @CsvSource({
        "ASH_MODE, coordinator, not available yet",
        "ASH_MODE, runner, not available yet",
        "ASH_MODE, Standalone, must be standalone",
        "ASH_DATABASE_URL, postgres://u:secret@h/d, not available yet",
        "ASH_DATABASE_URL, sqlite:ash.db, remove ASH_DATABASE_URL",
    })
    void rejectsUnsupportedSettings(String name, String value, String expected) throws IOException {
        assertThatThrownBy(() -> config(Map.of(name, value)))
                .isInstanceOf(ApiException.class)
                .hasMessageContainingAll(name, expected)
                .hasMessageNotContaining("secret");

        Files.writeString(
                directory.resolve("config.json"), "{\"%s\":\"%s\"}".formatted(name, value));
        assertThatThrownBy(() -> config(Map.of())).hasMessageContaining(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "CLAUDE_CODE_USE_BEDROCK, Amazon Bedrock",
        "AWS_BEARER_TOKEN_BEDROCK, Amazon Bedrock",
        "GOOGLE_GENAI_USE_VERTEXAI, Google Vertex AI",
    })
    void rejectsVariablesThatSelectPlatformsWithoutSupport(String name, String platform) {
        assertThatThrownBy(() -> config(Map.of(name, "true")))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith(name + " selects " + platform);
        assertThat(config(Map.of(name, "0", "AWS_ACCESS_KEY_ID", "AKIA")).rest().port())
                .isEqualTo(4100);
    }

    @Test
    void readsPricesFromFileOrFromSetting() throws IOException {
        var json = "{\"providers\":{\"openai\":{\"models\":{\"m\":{\"input\":1,\"output\":2}}}}}";
        var file = Files.writeString(directory.resolve("prices.json"), json);

        assertThat(config(Map.of()).sessions().prices()).isEmpty();
        assertThat(config(Map.of("ASH_PRICES", file.toString())).sessions().prices()).isPresent();
        Files.writeString(directory.resolve("config.json"), "{\"ASH_PRICES\":" + json + "}");
        assertThat(config(Map.of()).sessions().prices()).isPresent();
    }

    @ParameterizedTest
    @CsvSource({
        "/does/not/exist.json, which cannot be read",
        "'{\"providers\":{\"x\":{}}}', providers.x is not a provider with prices",
    })
    void rejectsInvalidPrices(String value, String problem) {
        assertThatThrownBy(() -> config(Map.of("ASH_PRICES", value)))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("ASH_PRICES")
                .hasMessageContaining(problem);
    }

    @Test
    void acceptsStandaloneModeAndEmptyValues() {
        assertThat(config(Map.of("ASH_MODE", "standalone", "ASH_DATABASE_URL", " ")).rest().port())
                .isEqualTo(4100);
        assertThat(config(Map.of("ASH_MODE", "")).rest().port()).isEqualTo(4100);
    }

    private ServerConfig config(Map<String, String> environment) {
        var all = new HashMap<>(environment);
        all.put("ASH_DATA_DIR", directory.toString());
        return ServerConfig.from(all);
    }
}
