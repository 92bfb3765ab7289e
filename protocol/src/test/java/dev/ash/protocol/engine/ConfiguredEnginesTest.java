package dev.ash.protocol.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineProfile.PromptInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator's engines: the setting {@code ASH_ENGINES}. */
class ConfiguredEnginesTest {
    private static EngineProfile engine(String json, String name) {
        return EngineTable.of(json).find(name).orElseThrow();
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " \n"})
    void withoutConfigurationTheTableIsBuiltIn(String json) {
        assertThat(EngineTable.of(json)).isSameAs(EngineTable.builtIn());
    }

    @Test
    void addsEngineBeforeTheDemo() {
        var json =
                """
                {"my-agent": {"driver": "acp", "command": "/opt/my-agent/bin/agent",
                  "args": ["--stdio", "--model={model}"], "env": {"BASE": "{model.url}/v1"},
                  "provider": "openai", "model": "large", "product": "My Agent",
                  "aliases": ["mine"]}}
                """;
        var engine = engine(json, "mine");

        assertThat(engine.name()).hasToString("my-agent");
        assertThat(engine.publicName()).isEqualTo("my-agent");
        assertThat(engine.product()).isEqualTo("My Agent");
        assertThat(engine.driver()).isEqualTo(EngineDriver.ACP);
        assertThat(engine.provider()).isEqualTo(ModelProvider.OPENAI);
        assertThat(engine.capabilities()).isEqualTo(EngineProfiles.ACP);
        assertThat(engine.launch().arguments()).containsExactly("--stdio", "--model={model}");
        assertThat(engine.launch().environment()).containsEntry("BASE", "{model.url}/v1");
        assertThat(engine.launch().model()).isEqualTo("large");
        assertThat(engine.installCommand()).isEmpty();
        var program = engine.program().orElseThrow();
        assertThat(program.command()).isEqualTo("/opt/my-agent/bin/agent");
        assertThat(program.variable()).isEqualTo("MY_AGENT_EXECUTABLE");
        assertThat(program.sandboxDirectory()).isEqualTo("/opt/engines/my-agent");
        assertThat(EngineTable.of(json).all().getLast()).isEqualTo(EngineProfiles.DEMO);
        assertThat(EngineTable.of(json).all()).hasSize(EngineTable.builtIn().all().size() + 1);
    }

    @Test
    void commandsGetTheirPromptAsConfigured() {
        var json =
                """
                {"say": {"driver": "command", "command": "say", "provider": "anthropic",
                  "prompt": "argument"}}
                """;

        assertThat(engine(json, "say").launch().promptInput()).isEqualTo(PromptInput.ARGUMENT);
        assertThat(engine(json, "say").capabilities()).isEqualTo(EngineProfiles.COMMAND);
    }

    @Test
    void overridesFieldsOfBuiltInEngine() {
        var engine = engine("{\"goose\": {\"model\": \"tiny\", \"env\": {\"A\": \"b\"}}}", "goose");

        assertThat(engine.launch().model()).isEqualTo("tiny");
        assertThat(engine.launch().environment())
                .containsEntry("A", "b")
                .containsEntry("GOOSE_PROVIDER", "openai");
        assertThat(engine.program()).isEqualTo(EngineProfiles.GOOSE.program());
        assertThat(engine.capabilities()).isEqualTo(EngineProfiles.GOOSE.capabilities());
        assertThat(EngineTable.of("{\"goose\": {}}").all()).isEqualTo(EngineTable.builtIn().all());
    }

    /** The variables of an engine depend on the provider. */
    @Test
    void overriddenProviderChangesTheLaunch() {
        var engine = engine("{\"opencode\": {\"provider\": \"openai\"}}", "opencode");

        assertThat(engine.provider()).isEqualTo(ModelProvider.OPENAI);
        assertThat(engine.launch()).isEqualTo(LaunchTemplates.OPENCODE_OPENAI);

        assertThatThrownBy(() -> EngineTable.of("{\"gemini\": {\"provider\": \"openai\"}}"))
                .hasMessageContainingAll("engines.gemini.provider", "env", "google");
        var own =
                engine(
                        """
                        {"gemini": {"provider": "openai", "env": {"KEY": "{model.key}"}}}
                        """,
                        "gemini");
        assertThat(own.launch().environment()).containsOnlyKeys("KEY");
        assertThat(own.launch().arguments()).containsExactly("--acp");
    }

    @Test
    void ownCommandReplacesTheTestedPackage() {
        var engine = engine("{\"aider\": {\"command\": \"/usr/local/bin/aider2\"}}", "aider");

        assertThat(engine.program().orElseThrow().command()).isEqualTo("/usr/local/bin/aider2");
        assertThat(engine.program().orElseThrow().variable()).isEqualTo("AIDER_EXECUTABLE");
        assertThat(engine("{\"goose\": {\"command\": \"g\"}}", "goose").isInstallable()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    []                                                     | engines: must be a JSON object
                    {"x": 1}                                               | engines.x: must be a JSON object
                    {"x": {}}                                              | engines.x.driver: is required
                    {"x": {"driver": "acp"}}                               | engines.x.command: is required
                    {"x": {"driver": "acp", "command": "c"}}               | engines.x.provider: is required
                    {"x": {"driver": "codex"}}                             | engines.x.driver: "codex" is not supported; expected acp or command
                    {"x": {"provider": "azure"}}                           | expected anthropic or openai or google
                    {"x": {"prompt": "file"}}                              | expected stdin or argument
                    {"x": {"comand": "c"}}                                 | engines.x.comand: is not a field of an engine; did you mean command?
                    {"x": {"zzz": "c"}}                                    | expected one of aliases, args, command
                    {"x": {"command": "bin/agent"}}                        | engines.x.command: "bin/agent" is relative
                    {"x": {"command": ""}}                                 | engines.x.command: must be a text
                    {"x": {"model": 5}}                                    | engines.x.model: must be a text
                    {"x": {"args": "a"}}                                   | engines.x.args: must be a list of strings
                    {"x": {"args": [1]}}                                   | engines.x.args: must be a list of strings
                    {"x": {"args": ["{model.kay}"]}}                       | engines.x.args: {model.kay} is not a placeholder
                    {"x": {"env": ["A"]}}                                  | engines.x.env: must be an object
                    {"x": {"env": {"A": 1}}}                               | engines.x.env: must be an object
                    {"x": {"env": {"A B": "1"}}}                           | engines.x.env.A B: is not a permitted name
                    {"x": {"env": {"ASH_MODEL_KEY": "1"}}}                 | engines.x.env.ASH_MODEL_KEY: is not a permitted name
                    {"auto": {"driver": "acp"}}                            | engines.auto: auto is not a name
                    {"My Agent": {"driver": "acp"}}                        | engines.My Agent: the name must be
                    {"claude": {"model": "m"}}                             | engines.claude: Claude Code is built in and has its own driver
                    {"demo": {"model": "m"}}                               | engines.demo: the demo is built in
                    {"claude-code": {"model": "m"}}                        | the name "claude-code" belongs to the engine claude
                    {"x": {"aliases": ["goose"]}}                          | engines.x: the name "goose" belongs to the engine goose
                    {"x": {"aliases": ["A"]}}                              | the name must be
                    """)
    void rejectsInvalidFieldsByTheirPath(String json, String expected) {
        assertThatThrownBy(() -> EngineTable.of(json))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED))
                .hasMessageContaining(expected);
    }

    @Test
    void rejectsAliasOfAnotherConfiguredEngine() {
        var json =
                """
                {"a": {"driver": "acp", "command": "c", "provider": "openai"},
                 "b": {"driver": "acp", "command": "c", "provider": "openai", "aliases": ["a"]}}
                """;

        assertThatThrownBy(() -> EngineTable.of(json))
                .hasMessageContaining("engines.b: the name \"a\" belongs to the engine a");
    }

    @Test
    void limitsTheConfiguration() {
        var many =
                IntStream.range(0, 51)
                        .mapToObj("\"e%d\": {}"::formatted)
                        .collect(Collectors.joining(",", "{", "}"));

        assertThatThrownBy(() -> EngineTable.of(many)).hasMessageContaining("at most 50");
        assertThatThrownBy(() -> EngineTable.of("{\"x\": \"" + "y".repeat(70_000) + "\"}"))
                .hasMessageContaining("at most 65,536 characters");
    }

    @Test
    void expandsPlaceholders() {
        var engine =
                engine(
                        """
                        {"x": {"driver": "acp", "command": "c", "provider": "openai",
                          "args": ["--model={model}", "{workspace}/a", "{other}", "{home}{"],
                          "env": {"URL": "{model.url}/v1", "KEY": "{model.key}", "M": "m-{model}",
                            "J": "{\\"key\\":\\"{model}\\",\\"n\\":{}}"}}}
                        """,
                        "x");
        var values =
                new LaunchValues("http://127.0.0.1:9", "k{home}", "a\"b", "/home/agent", "/work");

        assertThat(values.arguments(engine.launch()))
                .containsExactly("--model=a\"b", "/work/a", "{other}", "/home/agent{");
        assertThat(values.environment(engine.launch()))
                .containsEntry("URL", "http://127.0.0.1:9/v1")
                .containsEntry("KEY", "k{home}")
                .containsEntry("M", "m-a\"b")
                .containsEntry("J", "{\"key\":\"a\\\"b\",\"n\":{}}");
    }

    @Test
    void doesNotTrustRepositoryWithSettingsOfGemini(@TempDir Path workspace) throws IOException {
        var values = new LaunchValues("u", "k", "", "h", workspace.toString());
        var gemini = EngineProfiles.GEMINI.launch();

        assertThat(values.environment(gemini)).containsEntry("GEMINI_CLI_TRUST_WORKSPACE", "true");
        Files.createSymbolicLink(workspace.resolve(".gemini"), Path.of("elsewhere"));
        assertThat(values.environment(gemini)).containsEntry("GEMINI_CLI_TRUST_WORKSPACE", "false");
    }

    @Test
    void omitsTemplatesOfModelIfThereIsNone() {
        var values = new LaunchValues("u", "k", "", "h", "w");
        var gemini = EngineProfiles.GEMINI.launch();
        var goose = EngineProfiles.GOOSE.launch();

        assertThat(values.environment(gemini))
                .doesNotContainKey("GEMINI_MODEL")
                .containsEntry("GEMINI_API_KEY", "k");
        assertThat(values.environment(goose)).containsEntry("GOOSE_MODEL", goose.model());
        assertThat(values.arguments(goose)).isEqualTo(List.of("acp"));
    }
}
