package dev.ash.cli.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.protocol.json.JsonObject;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HookCommandsTest {
    private static final String USER_SETTINGS =
            """
            {
              "model" : "opus",
                "permissions": {"allow": ["Bash(ls:*)"],   "deny": []},
              "hooks": {
                "PreToolUse": [
                  {
                    "matcher": "Bash",
                    "hooks": [ {"type": "command", "command": "/usr/bin/mine # not ash-hook"} ]
                  }
                ],
                "Stop": []
              },
              "statusLine": null }
            """;

    @TempDir Path root;
    private FakeServer server;
    private Path settings;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        settings = root.resolve("home/.claude/settings.json");
        Files.createDirectories(root.resolve("data"));
        Files.writeString(root.resolve("data/hook-token"), "tok_1\n");
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    private void write(String text) throws IOException {
        Files.createDirectories(settings.getParent());
        Files.writeString(settings, text);
    }

    private String read() throws IOException {
        return Files.readString(settings);
    }

    @Test
    void installsWithoutExistingSettings() throws Exception {
        var result = run("hooks", "install");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).contains("Installed in " + settings, server.url());
        var hooks = JsonObject.parse(read()).object("hooks").orElseThrow();
        assertThat(hooks.names())
                .contains("PermissionRequest", "SessionStart", "SessionEnd", "PreToolUse", "Stop");
        assertThat(hooks.raw("PermissionRequest").orElseThrow())
                .hasToString(
                        "[{\"hooks\":[{\"type\":\"command\",\"command\":\"'"
                                + root.resolve("home/.ash/ash-hook")
                                + "' answer\",\"timeout\":320}]}]");
        assertThat(read()).doesNotContain("tok_1", "ash-hook' ask");
        assertThat(Files.getPosixFilePermissions(settings))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.getPosixFilePermissions(root.resolve("home/.ash/hook.conf")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.readString(root.resolve("home/.ash/hook.conf")))
                .contains("Bearer tok_1", server.url() + "/hooks/event", "noproxy");
        assertThat(root.resolve("home/.ash/ash-hook")).isExecutable();
    }

    @Test
    void preservesOtherSettingsByteForByte() throws Exception {
        write(USER_SETTINGS);
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rw-r-----"));

        run("hooks", "install", "--ask", "Bash|Write");
        var installed = read();

        assertThat(installed)
                .startsWith(USER_SETTINGS.substring(0, USER_SETTINGS.indexOf("\"hooks\"")))
                .endsWith("  \"statusLine\": null }\n")
                .contains("/usr/bin/mine # not ash-hook", "\"matcher\":\"Bash|Write\"", "' ask\"");
        assertThat(Files.readString(settings.resolveSibling("settings.json.before-ash")))
                .isEqualTo(USER_SETTINGS);
        assertThat(Files.getPosixFilePermissions(settings))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));

        var again = run("hooks", "install", "--ask", "Bash|Write");
        assertThat(again.out()).contains("nothing changed");
        assertThat(read()).isEqualTo(installed);
        run("hooks", "install");
        assertThat(read()).doesNotContain("' ask\"");
        assertThat(Files.readString(settings.resolveSibling("settings.json.before-ash")))
                .as("still the backup without hooks of Ash")
                .isEqualTo(USER_SETTINGS);

        assertThat(run("hooks", "uninstall").out()).contains("Removed from");
        assertThat(read()).isEqualTo(USER_SETTINGS.replace(",\n    \"Stop\": []", ""));
        assertThat(root.resolve("home/.ash/ash-hook")).doesNotExist();
        assertThat(run("hooks", "uninstall").out()).contains("No hooks of Ash are installed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{}\n",
                "{\"a\":1}",
                "{\n\t\"a\": 1\n}\n",
                "{\r\n  \"a\": 1,\r\n  \"b\": \"ü 🚀 \\u00e9\"\r\n}\r\n",
                "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]},\"b\":[]}"
            })
    void uninstallRestoresOriginalFile(String before) throws Exception {
        write(before);

        assertThat(run("hooks", "install").exitCode()).isZero();
        JsonObject.parse(read());
        assertThat(run("hooks", "uninstall").exitCode()).isZero();

        assertThat(read()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "{\"a\":1} x",
                "// mine\n{}",
                "{\"hooks\":[]}",
                "{\"hooks\":{\"Stop\":{}}}"
            })
    void doesNotChangeMalformedSettings(String before) throws Exception {
        write(before);

        var result = run("hooks", "install");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains(settings.toString(), "Cannot change", "safely");
        assertThat(read()).isEqualTo(before);
        assertThat(root.resolve("home/.ash/ash-hook")).doesNotExist();
    }

    @Test
    void writesThroughLink() throws Exception {
        Files.createDirectories(settings.getParent());
        var real = root.resolve("dotfiles.json");
        Files.writeString(real, "{\"a\":1}");
        Files.createSymbolicLink(settings, real);

        run("hooks", "install");

        assertThat(settings).isSymbolicLink();
        assertThat(Files.readString(real)).contains("PermissionRequest", "\"a\":1");
    }

    @Test
    void usesGivenSettingsFile() throws Exception {
        var other = root.resolve("project/.claude/settings.local.json");

        run("hooks", "install", "--settings", "project/.claude/settings.local.json");

        assertThat(Files.readString(other)).contains("PermissionRequest");
        assertThat(settings).doesNotExist();
        run("hooks", "uninstall", "--settings", other.toString());
        assertThat(Files.readString(other)).isEqualTo("{}\n");
        assertThat(root.resolve("home/.ash/ash-hook")).as("others may use it").exists();
    }

    @Test
    void requiresTokenAndKeepsItLocal() throws Exception {
        Files.delete(root.resolve("data/hook-token"));
        var none = run("hooks", "install");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err()).contains("hook token", "ash start", "ASH_HOOK_TOKEN");
        assertThat(settings).doesNotExist();

        Files.writeString(root.resolve("data/hook-token"), "tok_1\n");
        var remote =
                new Ash(root).with("ASH_SERVER_URL", "https://ash.example").run("hooks", "install");
        assertThat(remote.err()).contains("https://ash.example");
        var withToken =
                new Ash(root)
                        .with("ASH_SERVER_URL", "https://ash.example")
                        .with("ASH_HOOK_TOKEN", "tok_2")
                        .run("hooks", "install");
        assertThat(withToken.exitCode()).isZero();
        assertThat(Files.readString(root.resolve("home/.ash/hook.conf")))
                .contains("https://ash.example/hooks/event", "tok_2")
                .doesNotContain("noproxy");
        var bad =
                new Ash(root)
                        .server(server)
                        .with("ASH_HOOK_TOKEN", "a\"\nb")
                        .run("hooks", "install");
        assertThat(bad.err()).contains("characters that are invalid in a header");
    }

    @Test
    void reportsStatus() throws Exception {
        server.on("POST /hooks/event", 400, "{}");
        assertThat(run("hooks", "status").exitCode()).isEqualTo(1);
        assertThat(run("hooks", "status").out()).contains("not installed");

        run("hooks", "install");
        var ok = run("hooks", "status");
        assertThat(ok.exitCode()).as(ok.out()).isZero();
        assertThat(ok.out()).contains("PermissionRequest", "/hooks/event answers");
        assertThat(server.requests().getLast().header("Authorization")).contains("Bearer tok_1");
        assertThat(run("hooks", "status", "--json").out())
                .startsWith("{\"settings\":")
                .contains("\"installed\":true");

        server.on("POST /hooks/event", 401, "{}");
        assertThat(run("hooks", "status").out()).contains("rejects the token");
        write(read().replaceFirst("\\{", "{\"disableAllHooks\":true,"));
        assertThat(run("hooks", "status").out()).contains("disableAllHooks is set");
        Files.delete(root.resolve("home/.ash/ash-hook"));
        var missing = run("hooks", "status");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.out()).contains("is missing: run ash hooks install");
    }
}
