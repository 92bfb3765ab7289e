package dev.ash.cli.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EngineCommandsTest {
    /** Creates the program of the package in package.json, like npm. */
    private static final String NPM =
            """
            echo "$@" > "$HOME_OF_TEST/arguments"
            grep -q '"@openai/codex": "0.166.0"' package.json || exit 9
            grep -q '"integrity": "sha512-' package-lock.json || exit 9
            mkdir -p node_modules/.bin
            printf '%s\\n' '#!/bin/sh' 'echo codex-cli 0.166.0' > node_modules/.bin/codex
            chmod +x node_modules/.bin/codex
            """;

    @TempDir Path root;

    @BeforeEach
    void createDirectories() throws IOException {
        Files.createDirectories(root.resolve("bin"));
        Files.createDirectories(root.resolve("data"));
    }

    private Ash ash() {
        return new Ash(root)
                .with("PATH", root.resolve("bin") + ":/usr/bin:/bin")
                .with("HOME_OF_TEST", root.toString());
    }

    private Path program(String name, String script) throws IOException {
        var file = root.resolve("bin").resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    private Path programs() {
        return root.resolve("data/engine-programs");
    }

    @Test
    void installsLockedPackagesWithoutScripts() throws IOException {
        program("npm", NPM);
        Files.createDirectories(programs().resolve("codex-0.100.0/node_modules"));
        Files.createDirectories(programs().resolve(".draft-of-a-killed-installation/x"));

        var result = ash().run("engines", "install", "codex");

        assertThat(result.exitCode()).as(result.err()).isZero();
        var installed = programs().resolve("codex-0.166.0/node_modules/.bin/codex");
        assertThat(result.out()).isEqualTo(installed + "\n");
        assertThat(result.err())
                .contains("Installing Codex (@openai/codex 0.166.0)")
                .contains("Installed codex-cli 0.166.0.");
        assertThat(installed).isExecutable();
        assertThat(Files.readString(root.resolve("arguments"))).startsWith("ci --ignore-scripts");
        try (var entries = Files.list(programs())) {
            assertThat(entries.map(entry -> entry.getFileName().toString()))
                    .containsExactlyInAnyOrder("codex-0.166.0", "lock");
        }
        assertThat(ash().run("engines", "doctor").out())
                .contains("ok  codex", "codex-cli 0.166.0 at " + installed);
    }

    @Test
    void installsOnlyOnce() throws IOException {
        program("npm", NPM);
        ash().run("engines", "install", "codex");
        program("npm", "exit 1");

        var result = ash().run("engines", "install", "codex", "--json");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .startsWith("{\"name\":\"codex\",\"version\":\"0.166.0\",\"path\":\"");
    }

    @Test
    void leavesNothingIfNpmFails() throws IOException {
        program("npm", "echo 'npm error code EINTEGRITY'; exit 3");

        var result = ash().run("engines", "install", "codex");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("exit code 3", "EINTEGRITY");
        assertThat(programs()).isDirectoryNotContaining("glob:**/{.draft,codex}*");
    }

    @Test
    void reportsMissingProgramOfPackage() throws IOException {
        program("npm", "mkdir node_modules");

        assertThat(ash().run("engines", "install", "codex").err())
                .contains("but not its program codex");
    }

    @Test
    void rejectsProgramThatDoesNotRun() throws IOException {
        program("npm", NPM.replace("echo codex-cli 0.166.0", "echo wrong processor; exit 1"));

        assertThat(ash().run("engines", "install", "codex").err())
                .contains("does not run on this machine: wrong processor");
        assertThat(programs()).isDirectoryNotContaining("glob:**/{.draft,codex}*");
    }

    @Test
    void reportsMissingNpm() {
        assertThat(
                        ash().with("PATH", root.resolve("bin").toString())
                                .run("engines", "install", "codex")
                                .err())
                .contains("npm was not found", "Node.js");
    }

    @ParameterizedTest
    @CsvSource({
        "gardener, Expected one of claude",
        "demo, is part of Ash",
        "aider, pipx install aider-chat",
        "qwen, npm install -g @qwen-code/qwen-code",
    })
    void rejectsEnginesThatAshCannotInstall(String name, String expected) {
        var result = ash().run("engines", "install", name);

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains(expected);
    }

    @Test
    void doctorShowsConfiguredAndMissingPrograms() throws IOException {
        var goose = program("my-goose", "echo 1.34.0");
        program("gemini", "echo broken; exit 1");

        var result =
                ash().with("PATH", root.resolve("bin").toString())
                        .with("GOOSE_EXECUTABLE", goose.toString())
                        .with("OPENCODE_EXECUTABLE", "/no/such/opencode")
                        .with("OPENAI_API_KEY", "secret")
                        .run("engines", "doctor");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("1.34.0 at " + goose + " (tested with @aaif/goose 0.20.1)")
                .contains("/no/such/opencode is not executable")
                .contains("unset OPENCODE_EXECUTABLE")
                .contains("gemini fails: broken")
                .contains("not installed; to install it: ash engines install codex")
                .contains("not installed; to install it: pipx install aider-chat")
                .doesNotContain("secret");
    }

    @Test
    void listsEnginesOfTheServer() throws IOException {
        try (var server = new FakeServer()) {
            server.on(
                    "GET /api/engines",
                    """
                    {"engines":[
                    {"name":"codex","publicName":"codex","aliases":[],"product":"Codex","driver":"codex","provider":"openai","capabilities":["stream"],"installed":true,"version":"0.166.0","hasCredential":true},
                    {"name":"goose","publicName":"goose","aliases":[],"product":"goose","driver":"acp","provider":"openai","capabilities":[],"installed":false,"hasCredential":true,"missing":"m","install":"ash engines install goose"},
                    {"name":"gemini","publicName":"gemini","aliases":[],"product":"Gemini CLI","driver":"acp","provider":"google","capabilities":[],"installed":true,"hasCredential":false,"missing":"no key"}
                    ],"defaultEngine":"codex"}
                    """);

            var result = ash().server(server).run("engines", "list");

            assertThat(result.out())
                    .isEqualTo(
                            """
                            NAME    PRODUCT     PROVIDER  VERSION  STATE
                            codex   Codex       openai    0.166.0  ready (default)
                            goose   goose       openai    -        not installed
                            gemini  Gemini CLI  google    -        no key on the server
                            """);
            assertThat(result.err()).contains("ash engines install NAME");
        }
    }
}
