package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.protocol.rest.Isolation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HealthReaderTest {
    @Test
    void readsAllFields() throws Exception {
        // A new component of a record does not compile here until it is added to the reader.
        var health =
                new HealthResponse(
                        "ok",
                        "1.2",
                        "c",
                        1,
                        2,
                        3,
                        4,
                        new HealthResponse.Pool(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
                        new Isolation("bubblewrap", "closed", "m", List.of("memory"), "image"),
                        "demo",
                        5,
                        new HealthResponse.Gateway("failed", "wss://ü", true, "p"));

        assertThat(HealthReader.read(Json.write(health))).isEqualTo(health);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"status\":null,\"pool\":null,\"uptime\":null,\"unknown\":{\"a\":[1]}}",
                "{\"gateway\":{},\"isolation\":{\"limits\":null,\"kind\":null},\"pool\":{\"total\":3}}"
            })
    void readsAbsentAndUnknownFieldsLikeDataBinding(String json) throws Exception {
        var bytes = json.getBytes(StandardCharsets.UTF_8);

        assertThat(HealthReader.read(new RawJson(bytes)))
                .isEqualTo(Json.read(bytes, HealthResponse.class));
    }

    @Test
    void rejectsOtherTypes() {
        assertThatThrownBy(
                        () ->
                                HealthReader.read(
                                        new RawJson(
                                                "{\"uptime\":\"x\"}"
                                                        .getBytes(StandardCharsets.UTF_8))))
                .isInstanceOf(MalformedJsonException.class);
    }
}
