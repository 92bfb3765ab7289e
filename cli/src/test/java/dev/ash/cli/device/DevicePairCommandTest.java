package dev.ash.cli.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.cli.command.Host;
import dev.ash.sdk.FakeServer;
import io.nayuki.qrcodegen.QrCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicePairCommandTest {
    private static final String FINGERPRINT =
            "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef";
    private static final String TOKEN = "ash_dev_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
    private static final String TEXT =
            "{\"url\":\"wss://192.168.1.20:3000\",\"token\":\"%s\",\"fingerprint\":\"%s\"}"
                    .formatted(TOKEN, FINGERPRINT);
    private static final Host.Terminals TERMINAL = new Host.Terminals(true, true, true);

    @TempDir Path root;
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
        pairingAt("wss://192.168.1.20:3000", true);
    }

    private void pairingAt(String url, boolean reachable) {
        server.on(
                "POST /api/devices",
                201,
                "{\"pairing\":{\"deviceId\":\"d1\",\"url\":\"%s\",\"token\":\"%s\",\"fingerprint\":\"%s\",\"expiresAt\":\"2026-01-01T00:10:00Z\",\"reachable\":%s}}"
                        .formatted(url, TOKEN, FINGERPRINT, reachable));
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Ash ash() {
        return new Ash(root).server(server);
    }

    private Ash window(int columns, int lines) {
        return ash().terminals(TERMINAL)
                .with("COLUMNS", String.valueOf(columns))
                .with("LINES", String.valueOf(lines));
    }

    /** Returns the lines before the first empty one. */
    private static List<String> picture(Result result) {
        return result.out().lines().takeWhile(line -> !line.isEmpty()).toList();
    }

    private static void assertShowsTheCode(PrintedQrCode printed) {
        assertThat(printed.hasFinders()).isTrue();
        assertThat(printed.hasLightMargin()).isTrue();
        assertThat(printed.modules())
                .isEqualTo(PrintedQrCode.modules(QrCode.encodeText(TEXT, QrCode.Ecc.LOW)));
    }

    @Test
    void sendsScopesAndExpiry() {
        server.on(
                "POST /api/devices",
                201,
                "{\"pairing\":{\"deviceId\":\"d1\",\"url\":\"wss://h:3000\",\"token\":\"t\",\"fingerprint\":\"ab\",\"expiresAt\":\"e\",\"reachable\":true,\"scopes\":[\"watch\",\"approve\"],\"tokenExpiresAt\":\"2026-02-01T00:00:00Z\"}}");

        var result =
                ash().run(
                                "devices",
                                "pair",
                                "--no-wait",
                                "--scope",
                                "approve,watch",
                                "--expires-in-days",
                                "30");

        assertThat(server.lines())
                .containsExactly(
                        "POST /api/devices {\"scopes\":[\"approve\",\"watch\"],\"expiresInDays\":30}");
        assertThat(result.out()).contains("watch, approve", "2026-02-01T00:00:00Z");
        assertThat(ash().run("devices", "pair", "--scope", "watch", "--json").out())
                .contains("\"scopes\":[\"watch\",\"approve\"]");
    }

    @Test
    void rejectsScopesOnOlderServer() {
        server.on("DELETE /api/devices/d1", 204, "");

        var result = ash().run("devices", "pair", "--no-wait", "--scope", "watch");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("does not support scopes");
        assertThat(server.lines()).last().isEqualTo("DELETE /api/devices/d1");
    }

    @Test
    void codeContainsUrlAndToken() {
        var result = ash().run("devices", "pair", "--no-wait", "--name", "my phone");

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(server.lines()).containsExactly("POST /api/devices {\"name\":\"my phone\"}");
        var printed = PrintedQrCode.read(picture(result));
        assertThat(printed.margin()).isEqualTo(4);
        assertShowsTheCode(printed);
    }

    @Test
    void printsDetailsBelowTheCode() {
        var result = ash().run("devices", "pair", "--no-wait");

        assertThat(server.lines()).containsExactly("POST /api/devices {}");
        assertThat(result.out())
                .endsWith(
                        """

                        Scan this code with the device.

                        gateway      wss://192.168.1.20:3000
                        fingerprint  00 11 22 33 44 55 66 77 88 99 AA BB CC DD EE FF
                                     01 23 45 67 89 AB CD EF 01 23 45 67 89 AB CD EF
                        expires      2026-01-01T00:10:00Z

                        The code can be used once, until it expires. The fingerprint is the SHA-256
                        of the gateway's certificate. `ash devices list` lists paired devices.
                        """)
                .doesNotContain(TOKEN);
    }

    private void devices(String... states) {
        var remaining = new ArrayDeque<>(List.of(states));
        server.on(
                "GET /api/devices",
                (_, out) -> {
                    var body =
                            "{\"devices\":[%s]}"
                                    .formatted(
                                            remaining.size() > 1
                                                    ? remaining.poll()
                                                    : remaining.peek());
                    FakeServer.write(
                            out,
                            "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s"
                                    .formatted(body.length(), body));
                });
    }

    private static String device(String name, String platform, boolean paired) {
        return "{\"id\":\"d1\",\"name\":\"%s\",\"platform\":%s,\"paired\":%s,\"connected\":true,\"createdAt\":\"c\"}"
                .formatted(name, platform, paired);
    }

    @Test
    void waitsForDeviceAndPrintsItsName() {
        devices(device("Pixel 9", null, false), device("Pixel 9", "\"android\"", true));

        var result = ash().run("devices", "pair", "--name", "Pixel 9");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .endsWith(
                        "Waiting for the device. Ctrl-C stops waiting; the code remains valid.\nPaired: Pixel 9\n");
    }

    @Test
    void usesPlatformAsNameOfUnnamedDevice() {
        devices(device("device", "\"ios\"", true));

        assertThat(ash().run("devices", "pair").out()).endsWith("\nPaired: ios\n");
    }

    @Test
    void stopsWaitingForRevokedCode() {
        devices("");

        var result = ash().run("devices", "pair");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("The code was revoked");
    }

    @Test
    void waitsWithJsonOnRequest() {
        devices(device("phone", "\"ios\"", true));

        var lines = ash().run("devices", "pair", "--json", "--wait").out().lines().toList();

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).contains("\"token\"");
        assertThat(lines.get(1)).contains("\"name\":\"phone\"").doesNotContain("token\":");
    }

    @Test
    void printsCodeBlackOnWhiteOnTerminals() {
        var result = window(80, 50).run("devices", "pair", "--no-wait");

        var lines = picture(result);
        assertThat(lines)
                .allMatch(
                        line ->
                                line.startsWith("\u001b[38;5;16;48;5;231m")
                                        && line.endsWith("\u001b[0m"));
        var printed =
                PrintedQrCode.read(
                        lines.stream()
                                .map(line -> line.replaceAll("\u001b\\[[^m]*m", ""))
                                .toList());
        assertThat(printed.margin()).isEqualTo(4);
        assertShowsTheCode(printed);
    }

    @Test
    void usesSmallerMarginOrTextInNarrowWindow() {
        int size = QrCode.encodeText(TEXT, QrCode.Ecc.LOW).size;

        for (int columns = size + 4; columns < size + 8; columns++) {
            var lines = picture(window(columns, 50).run("devices", "pair", "--no-wait"));
            var printed =
                    PrintedQrCode.read(
                            lines.stream()
                                    .map(line -> line.replaceAll("\u001b\\[[^m]*m", ""))
                                    .toList());
            assertThat(printed.margin()).isEqualTo(2);
            assertShowsTheCode(printed);
        }

        var tooNarrow = window(size + 3, 50).run("devices", "pair", "--no-wait");
        assertThat(tooNarrow.exitCode()).isZero();
        assertThat(tooNarrow.out())
                .startsWith(
                        "The window is too narrow for the code (%d columns).".formatted(size + 3))
                .contains("\n" + TEXT + "\n", "expires      2026-01-01T00:10:00Z")
                .doesNotContain("█", "\u001b", "Scan");
    }

    @Test
    void warnsIfWindowIsTooLow() {
        var result = window(80, 24).run("devices", "pair", "--no-wait");

        assertThat(result.err()).contains("the window has 24: enlarge it");
        assertThat(result.err()).contains("The code has " + picture(result).size() + " lines");
        assertThat(window(80, picture(result).size()).run("devices", "pair", "--no-wait").err())
                .isEmpty();
    }

    @Test
    void revokesPairingIfGatewayIsNotReachable() {
        pairingAt("wss://127.0.0.1:3000", false);
        server.on("DELETE /api/devices/d1", 204, "");

        var result = ash().run("devices", "pair", "--no-wait");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .startsWith("ash: Devices cannot pair: the gateway")
                .contains(
                        "wss://127.0.0.1:3000",
                        "ash gateway expose 0.0.0.0",
                        "VPN",
                        "ASH_GATEWAY_URL")
                .doesNotContain(TOKEN);
        assertThat(server.lines())
                .containsExactly("POST /api/devices {}", "DELETE /api/devices/d1");

        server.on("DELETE /api/devices/d1", 500, "{\"error\":\"no\"}");
        assertThat(ash().run("devices", "pair", "--no-wait")).isEqualTo(result);
    }

    @Test
    void printsJsonEvenIfNotReachable() {
        var rest = ",\"deviceId\":\"d1\",\"expiresAt\":\"2026-01-01T00:10:00Z\",\"reachable\":";
        var start = TEXT.substring(0, TEXT.length() - 1) + rest;

        assertThat(ash().run("devices", "pair", "--json"))
                .isEqualTo(new Result(0, start + "true}\n", ""));
        assertThat(window(20, 5).run("--json", "devices", "pair").out())
                .isEqualTo(start + "true}\n");
        pairingAt("wss://127.0.0.1:3000", false);
        assertThat(ash().run("devices", "pair", "--json"))
                .isEqualTo(
                        new Result(0, start.replace("192.168.1.20", "127.0.0.1") + "false}\n", ""));
        assertThat(server.lines()).allMatch(line -> line.startsWith("POST"));
    }

    @Test
    void reportsMissingGateway() {
        server.on("POST /api/devices", 500, "{\"error\":\"This server runs without a gateway\"}");

        assertThat(ash().run("devices", "pair", "--no-wait"))
                .isEqualTo(new Result(1, "", "ash: This server runs without a gateway\n"));
    }
}
