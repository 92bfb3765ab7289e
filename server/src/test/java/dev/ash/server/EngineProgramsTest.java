package dev.ash.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.server.session.engine.InstalledProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineProgramsTest {
    @TempDir private Path directory;

    private Path program(String path, String text) throws IOException {
        var program = directory.resolve(path);
        Files.createDirectories(program.getParent());
        Files.writeString(program, text);
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ServerConfig config(Map<String, String> environment) {
        var all = new HashMap<>(environment);
        all.put("ASH_DATA_DIR", directory.resolve("data").toString());
        all.putIfAbsent("PATH", directory.resolve("bin").toString());
        return ServerConfig.from(all);
    }

    private InstalledProgram codex(Map<String, String> environment) {
        var installed = EnginePrograms.find(config(environment)).installed(true);
        return Objects.requireNonNull(installed.get(EngineProfiles.CODEX.name()));
    }

    @Test
    void prefersConfiguredThenInstalledByAshThenPath() throws IOException {
        var configured = program("own/codex", "x");
        var onPath = program("bin/codex", "x");

        assertThat(codex(Map.of()).path()).isEqualTo(onPath);
        var installed =
                program("data/engine-programs/codex-0.166.0/node_modules/.bin/codex", "x");
        assertThat(codex(Map.of()).path()).isEqualTo(installed);
        assertThat(codex(Map.of("CODEX_EXECUTABLE", configured.toString())).path())
                .isEqualTo(configured);
    }

    @Test
    void rejectsMissingConfiguredProgram() {
        var config = config(Map.of("CODEX_EXECUTABLE", "/no/such/codex"));

        assertThatThrownBy(() -> EnginePrograms.find(config))
                .isInstanceOf(ApiException.class)
                .hasMessageContainingAll(
                        "CODEX_EXECUTABLE", "/no/such/codex", "ash engines install codex");
    }

    @Test
    void readsVersionFromPackage() throws IOException {
        var program = program("node_modules/@openai/codex/bin/codex.js", "x");
        Files.writeString(
                program.resolveSibling("../package.json").normalize(),
                "{\"version\":\"0.166.0-linux-x64\"}");

        assertThat(PackageVersion.of(program)).isEqualTo("0.166.0");
        assertThat(PackageVersion.of(program("bin/codex", "x"))).isEmpty();
        assertThat(PackageVersion.of(directory.resolve("missing"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "#!/bin/sh, ''",
        "#!/usr/bin/env sh, ''",
        "#!/usr/bin/env -S A=b sh -e, ''",
        "#! /usr/bin/env  no-such-interpreter, no-such-interpreter",
        "#!/opt/venv/bin/python3, /opt/venv/bin/python3",
        "#!/usr/bin/no-such-interpreter, /usr/bin/no-such-interpreter",
        "ELF, ''",
    })
    void reportsInterpretersThatSandboxesLack(String firstLine, String expected)
            throws IOException {
        var problem = Interpreters.problem(program("bin/agent", firstLine + "\nrest"));

        if (expected.isEmpty()) {
            assertThat(problem).isEmpty();
        } else {
            assertThat(problem.orElseThrow()).contains("is run by " + expected, "below /usr");
        }
    }

    @Test
    void ignoresInterpretersWithoutIsolation() throws IOException {
        program("bin/codex", "#!/opt/venv/bin/python3");
        var programs = EnginePrograms.find(config(Map.of()));

        assertThat(programs.installed(true).get(EngineProfiles.CODEX.name()).problem())
                .contains("/opt/venv/bin/python3");
        assertThat(programs.installed(false).get(EngineProfiles.CODEX.name()).problem()).isEmpty();
    }

    @Test
    void findsConfiguredEngineByPathOrName() throws IOException {
        var own = program("own/agent", "x");
        var onPath = program("bin/other", "x");
        var engines =
                """
                {"own": {"driver": "acp", "command": "%s", "provider": "openai"},
                 "other": {"driver": "command", "command": "other", "provider": "openai"}}
                """
                        .formatted(own);

        var found = EnginePrograms.find(config(Map.of("ASH_ENGINES", engines)));

        assertThat(found.inSandboxes().stream().map(program -> program.path()))
                .containsExactly(own, onPath);
    }

    @Test
    void readsEnginesFromTheConfigurationFile() throws IOException {
        Files.createDirectories(directory.resolve("data"));
        Files.writeString(
                directory.resolve("data/config.json"),
                "{\"engines\": {\"goose\": {\"model\": \"tiny\"}}, \"ASH_ENGINE\": \"goose\"}");

        var engines = config(Map.of()).engines();

        assertThat(engines.engine()).isEqualTo("goose");
        assertThat(engines.table().find("goose").orElseThrow().launch().model()).isEqualTo("tiny");
        assertThat(engines.configured()).isEqualTo("{\"goose\": {\"model\": \"tiny\"}}");
    }

    @Test
    void rejectsEnginesUnderTwoNames() throws IOException {
        Files.createDirectories(directory.resolve("data"));
        Files.writeString(
                directory.resolve("data/config.json"), "{\"engines\": {}, \"ASH_ENGINES\": {}}");

        assertThatThrownBy(() -> config(Map.of()))
                .hasMessageContaining("contains ASH_ENGINES under two names");
    }

    @Test
    void rejectsKeyInTheConfigurationOfAnEngine() {
        var engines = "{\"goose\": {\"env\": {\"OPENAI_API_KEY\": \"Bearer sk-secret-key\"}}}";

        assertThatThrownBy(
                        () ->
                                config(
                                        Map.of(
                                                "ASH_ENGINES",
                                                engines,
                                                "OPENAI_API_KEY",
                                                "sk-secret-key")))
                .hasMessageContainingAll("engines.goose", "OPENAI_API_KEY", "{model.key}")
                .hasMessageNotContaining("sk-secret");
        assertThat(config(Map.of("ASH_ENGINES", engines)).engines().table().find("goose"))
                .isPresent();
    }

    @Test
    void rejectsUnknownDefaultEngine() {
        assertThatThrownBy(() -> config(Map.of("ASH_ENGINE", "gardener")))
                .hasMessageContainingAll("ASH_ENGINE is \"gardener\"", "claude", "or auto");
    }
}
