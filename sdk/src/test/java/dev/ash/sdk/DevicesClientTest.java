package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.DeviceApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class DevicesClientTest {
    private static final String PAIRING =
            "{\"pairing\":{\"deviceId\":\"d1\",\"url\":\"wss://h:3000\",\"token\":\"t\",\"fingerprint\":\"ab\",\"expiresAt\":\"e\",\"reachable\":true}}";

    @Test
    void sendsOneRequestForEachCall() throws IOException {
        try (var server = new FakeServer()) {
            server.on("POST /api/devices", 201, PAIRING);
            server.on(
                    "GET /api/devices",
                    "{\"devices\":[{\"id\":\"d1\",\"name\":\"phone\",\"paired\":true,\"connected\":false,\"createdAt\":\"c\",\"battery\":7}]}");
            server.on(
                    "DELETE /api/devices/d%2F1",
                    (_, out) -> FakeServer.write(out, "HTTP/1.1 204 No Content\r\n\r\n"));
            var devices = server.client().devices();

            assertThat(devices.pair("phone"))
                    .isEqualTo(
                            new DeviceApi.Pairing(
                                    "d1", "wss://h:3000", "t", "ab", "e", true, null, null));
            devices.pair(null);
            assertThat(devices.list())
                    .containsExactly(
                            new DeviceApi.Device(
                                    "d1", "phone", null, true, false, "c", null, null, null, null));
            devices.revoke("d/1");

            assertThat(server.lines())
                    .containsExactly(
                            "POST /api/devices {\"name\":\"phone\"}",
                            "POST /api/devices {}",
                            "GET /api/devices",
                            "DELETE /api/devices/d%2F1");
        }
    }

    @Test
    void reportsUnknownDevice() throws IOException {
        var body = "{\"error\":\"Device not found\",\"code\":\"DEVICE_NOT_FOUND\"}";
        try (var server = FakeServer.responding(404, body)) {
            assertThatThrownBy(() -> server.client().devices().revoke("d1"))
                    .isInstanceOfSatisfying(
                            AshApiException.class,
                            error -> assertThat(error.is(ErrorCode.DEVICE_NOT_FOUND)).isTrue())
                    .hasMessage("Device not found");
        }
    }
}
