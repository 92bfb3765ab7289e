package dev.ash.bridge.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import org.junit.jupiter.api.Test;

class PermissionOptionsTest {
    private static PermissionOptions options(String... kinds) throws MalformedJsonException {
        var json = new StringBuilder("{\"options\":[7");
        for (var kind : kinds) {
            json.append(",{\"optionId\":\"id-%s\",\"kind\":\"%s\"}".formatted(kind, kind));
        }
        return PermissionOptions.of(JsonObject.parse(json + "]}"));
    }

    private static String selected(String id) {
        return "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"%s\"}}".formatted(id);
    }

    @Test
    void selectsByKindAndPrefersSingleCall() throws MalformedJsonException {
        var all = options("allow_always", "allow_once", "reject_always", "reject_once");

        assertThat(all.allow()).hasToString(selected("id-allow_once"));
        assertThat(all.allowByRule()).hasToString(selected("id-allow_once"));
        assertThat(all.reject()).hasToString(selected("id-reject_once"));
    }

    @Test
    void cancelsIfAnswerIsNotOffered() throws MalformedJsonException {
        var permanent = options("allow_always", "reject_always");

        assertThat(permanent.allow()).isEqualTo(PermissionOptions.CANCELLED);
        assertThat(permanent.allowByRule()).hasToString(selected("id-allow_always"));
        assertThat(permanent.reject()).isEqualTo(PermissionOptions.CANCELLED);
        assertThat(options().allowByRule()).isEqualTo(PermissionOptions.CANCELLED);
    }
}
