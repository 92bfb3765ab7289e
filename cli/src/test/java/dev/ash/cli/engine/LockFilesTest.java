package dev.ash.cli.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The lock files of engines pin every package by version and checksum, and name no registry. */
class LockFilesTest {
    static Stream<EngineProfile> engines() {
        return EngineTable.builtIn().all().stream().filter(EngineProfile::isInstallable);
    }

    private static JsonObject file(EngineProfile engine, String name) throws IOException {
        var resource = "lock/" + engine.name() + "/" + name;
        try (var in = LockFilesTest.class.getResourceAsStream(resource)) {
            var text = new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
            assertThat(text).doesNotContain("://").doesNotContain("\"resolved\"");
            return JsonObject.parse(text);
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void pinsTestedVersion(EngineProfile engine) throws IOException {
        var program = engine.program().orElseThrow();

        assertThat(file(engine, "package.json").stringMap("dependencies"))
                .containsExactly(Map.entry(program.npmPackage(), program.version()));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void everyPackageHasChecksum(EngineProfile engine) throws IOException {
        var packages = file(engine, "package-lock.json").object("packages").orElseThrow();
        var program = engine.program().orElseThrow();

        assertThat(packages.names()).contains("node_modules/" + program.npmPackage());
        for (var name : packages.names()) {
            var entry = packages.object(name).orElseThrow();
            if (!name.isEmpty()) {
                assertThat(entry.requireString("integrity")).as(name).startsWith("sha512-");
                assertThat(entry.requireString("version")).as(name).isNotEmpty();
            }
        }
        assertThat(
                        packages.object("node_modules/" + program.npmPackage())
                                .orElseThrow()
                                .requireString("version"))
                .isEqualTo(program.version());
    }
}
