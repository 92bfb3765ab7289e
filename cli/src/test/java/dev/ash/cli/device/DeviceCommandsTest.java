package dev.ash.cli.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceCommandsTest {
    private static final String PHONE = "11112222-0000-4000-8000-000000000001";
    private static final String TABLET = "11113333-0000-4000-8000-000000000002";
    private static final String WAITING = "aaaabbbb-0000-4000-8000-000000000003";
    private static final String EXPIRED = "ccccdddd-0000-4000-8000-000000000004";

    @TempDir Path root;
    private FakeServer server;

    private static String device(String id, String name, String rest) {
        return "{\"id\":\"%s\",\"name\":\"%s\",\"createdAt\":\"t1\",%s}".formatted(id, name, rest);
    }

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        var devices =
                String.join(
                        ",",
                        device(
                                PHONE,
                                "phone",
                                "\"platform\":\"ios\",\"paired\":true,\"connected\":true,\"lastSeenAt\":\"t2\",\"scopes\":[\"watch\",\"approve\"],\"tokenExpiresAt\":\"2999-01-01T00:00:00Z\""),
                        device(
                                TABLET,
                                "tv",
                                "\"platform\":\"a\\u001b[2J\",\"paired\":true,\"connected\":false,\"lastSeenAt\":\"t3\",\"scopes\":[\"watch\"],\"tokenExpiresAt\":\"2020-01-01T00:00:00Z\""),
                        device(
                                WAITING,
                                "device",
                                "\"paired\":false,\"connected\":false,\"expiresAt\":\"2999-01-01T00:00:00Z\""),
                        device(
                                EXPIRED,
                                "device",
                                "\"paired\":false,\"connected\":false,\"expiresAt\":\"2020-01-01T00:00:00Z\""));
        server.on("GET /api/devices", "{\"devices\":[" + devices + "]}");
        for (var id : new String[] {PHONE, TABLET, WAITING, EXPIRED}) {
            server.on("DELETE /api/devices/" + id, 204, "");
        }
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    @Test
    void listsPairedAndWaitingDevices() {
        assertThat(run("devices", "list").out())
                .isEqualTo(
                        """
                        ID        NAME    PLATFORM  STATE                                 SCOPES         LAST SEEN
                        11112222  phone   ios       connected until 2999-01-01T00:00:00Z  watch,approve  t2
                        11113333  tv      a�[2J     expired                               watch          t3
                        aaaabbbb  device            waiting until 2999-01-01T00:00:00Z                   never
                        ccccdddd  device            expired                                              never
                        """);
        assertThat(run("devices", "list", "--json").out())
                .startsWith("{\"devices\":[{\"id\":\"" + PHONE + "\",\"name\":\"phone\"");
        server.on("GET /api/devices", "{\"devices\":[]}");
        var none = run("devices", "list");
        assertThat(none.out()).isEmpty();
        assertThat(none.err()).isEqualTo("No devices. Pair one: ash devices pair\n");
        assertThat(run("devices", "list", "--json").out()).isEqualTo("{\"devices\":[]}\n");
    }

    @Test
    void revokesByNameIdOrIdPrefix() {
        assertThat(run("devices", "revoke", "phone"))
                .isEqualTo(new Result(0, "Revoked phone (11112222)\n", ""));
        assertThat(run("devices", "revoke", "tv").out()).isEqualTo("Revoked tv (11113333)\n");
        assertThat(run("devices", "revoke", "11113").out()).isEqualTo("Revoked tv (11113333)\n");
        assertThat(run("devices", "revoke", WAITING, "--json").out()).isEqualTo("{\"ok\":true}\n");

        assertThat(server.lines().stream().filter(line -> line.startsWith("DELETE")))
                .containsExactly(
                        "DELETE /api/devices/" + PHONE,
                        "DELETE /api/devices/" + TABLET,
                        "DELETE /api/devices/" + TABLET,
                        "DELETE /api/devices/" + WAITING);
    }

    @Test
    void rejectsAmbiguousAndUnknownDevices() {
        var several = run("devices", "revoke", "1111");
        assertThat(several.exitCode()).isEqualTo(2);
        assertThat(several.err())
                .contains("matches 2 devices", PHONE + " (phone)", TABLET + " (tv)");
        var sameName = run("devices", "revoke", "device");
        assertThat(sameName.exitCode()).isEqualTo(2);
        assertThat(sameName.err()).contains("matches 2 devices", WAITING, EXPIRED);
        for (var unknown : new String[] {"pho", "111", "9999", PHONE + "0", ""}) {
            var result = run("devices", "revoke", unknown);
            assertThat(result.exitCode()).as(unknown).isEqualTo(4);
            assertThat(result.err()).contains("No device has the name or id", "ash devices list");
        }
        assertThat(server.lines()).allMatch(line -> line.startsWith("GET"));
    }

    @Test
    void prefersIdOverEqualName() {
        var paired = "\"paired\":true,\"connected\":false";
        server.on(
                "GET /api/devices",
                "{\"devices\":[%s,%s]}"
                        .formatted(device(PHONE, "phone", paired), device(TABLET, PHONE, paired)));

        assertThat(run("devices", "revoke", PHONE).out()).isEqualTo("Revoked phone (11112222)\n");
    }

    @Test
    void printsHelp() {
        assertThat(run("devices", "--help").out()).contains("pair", "list", "revoke");
        for (var command : new String[] {"pair", "list", "revoke"}) {
            assertThat(run("devices", command, "--help").out())
                    .startsWith("Usage: ash devices " + command);
        }
        assertThat(run("devices").exitCode()).isEqualTo(2);
        assertThat(run("--help").out()).contains("devices");
    }
}
