package dev.ash.cli.secret;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.protocol.json.JsonObject;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretCommandsTest {
    private static final String KEY =
            """
            {"name":"sealing-key","id":"00aa","createdAt":"t1","state":"%s","note":%s,
             "progress":[{"table":"agents","resealed":3,"remaining":%d,"unreadable":1}]}""";

    @TempDir Path root;
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
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

    private static String answer(String... secrets) {
        return "{\"secrets\":[" + String.join(",", secrets) + "]}";
    }

    private static String hookToken(String token) throws Exception {
        var hash =
                MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        return """
        {"name":"hook-token","id":"%s","createdAt":"t2","state":"overlap","previousUntil":"t3","progress":[]}"""
                .formatted(HexFormat.of().formatHex(hash).substring(0, 16));
    }

    @Test
    void showsStates() throws Exception {
        server.on(
                "GET /api/secrets",
                answer(KEY.formatted("rotating", "\"the disk is full\"", 5), hookToken("tok_1")));

        var result = run("secrets", "status");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out())
                .contains("sealing-key", "00aa", "rotating", "hook-token", "overlap", "t3")
                .contains("3 values of agents sealed again, 5 remaining, 1 unreadable")
                .contains("the disk is full");
        var json = JsonObject.parse(run("secrets", "status", "--json").out());
        assertThat(json.raw("secrets")).isPresent();
    }

    @Test
    void waitsUntilTheRotationHasFinished() {
        server.on("POST /api/secrets/rotate", answer(KEY.formatted("rotating", "null", 5)));
        server.on("GET /api/secrets", answer(KEY.formatted("current", "null", 0)));

        var result = run("secrets", "rotate", "sealing-key");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(result.out()).contains("current", "0 remaining");
    }

    @Test
    void updatesTokenOfInstalledHooks() throws Exception {
        assertThat(run("hooks", "install").exitCode()).isZero();
        var conf = root.resolve("home/.ash/hook.conf");
        Files.writeString(root.resolve("data/hook-token"), "tok_2\n");
        server.on("POST /api/secrets/rotate", answer(hookToken("tok_2")));

        var result = run("secrets", "rotate", "hook-token");

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(Files.readString(conf)).contains("Bearer tok_2").doesNotContain("tok_1");
        assertThat(Files.getPosixFilePermissions(conf))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(result.err()).contains("updated", "ash hooks install");
        assertThat(result.out() + result.err()).doesNotContain("tok_2");
    }

    @Test
    void doesNotChangeHooksOfAnotherServer() throws Exception {
        run("hooks", "install");
        var conf = root.resolve("home/.ash/hook.conf");
        Files.writeString(conf, Files.readString(conf).replace(server.url(), "http://localhost:1"));
        Files.writeString(root.resolve("data/hook-token"), "tok_2\n");
        server.on("POST /api/secrets/rotate", answer(hookToken("tok_2")));

        var result = run("secrets", "rotate", "hook-token");

        assertThat(Files.readString(conf)).contains("Bearer tok_1");
        assertThat(result.err()).contains("could not be updated", "ash hooks install");

        server.on("POST /api/secrets/rotate", answer(hookToken("of another data directory")));
        run("secrets", "rotate", "hook-token");
        assertThat(Files.readString(conf)).contains("Bearer tok_1");
    }

    @Test
    void explainsInvalidUsageAndErrors() {
        assertThat(run("secrets", "rotate", "passwords").exitCode()).isEqualTo(2);
        assertThat(run("secrets", "rotate", "--overlap", "5", "--revoke-previous").exitCode())
                .isEqualTo(2);
        server.on(
                "POST /api/secrets/rotate",
                409,
                "{\"error\":\"ASH_HOOK_TOKEN sets it\",\"code\":\"ROTATION_REFUSED\",\"statusCode\":409}");
        var rejected = run("secrets", "rotate", "hook-token");
        assertThat(rejected.exitCode()).isEqualTo(6);
        assertThat(rejected.err()).contains("ASH_HOOK_TOKEN sets it");
        server.on("DELETE /api/secrets/previous", 403, "{\"error\":\"no\",\"code\":\"FORBIDDEN\"}");
        assertThat(run("secrets", "revoke-previous").exitCode()).isEqualTo(5);
    }
}
