package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.net.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** HTTP response of the server with assertions on its status, errors and frames. */
public record ApiResponse(int status, HttpHeaders headers, byte[] body) {
    private static final JsonMapper MAPPER = new JsonMapper();

    public String text() {
        return new String(body, UTF_8);
    }

    public JsonNode json() {
        return MAPPER.readTree(body);
    }

    /** Returns the node at a JSON pointer. */
    public JsonNode at(String pointer) {
        return json().at(pointer);
    }

    /** Returns the frames of an event stream that was read to its end. */
    public List<Frame> frames() {
        expect(200);
        var frames = new ArrayList<Frame>();
        try (var reader = new FrameReader(new ByteArrayInputStream(body), headers)) {
            for (var frame = reader.next(); frame != null; frame = reader.next()) {
                frames.add(frame);
            }
        }
        return frames;
    }

    /** Asserts the status; a failure message contains the response body. */
    public ApiResponse expect(int expected) {
        assertThat(status).as(() -> "status of: " + text()).isEqualTo(expected);
        return this;
    }

    /** Asserts an error response: status, error code, and text that the message must contain. */
    public ApiResponse refused(int expected, String code, String... inMessage) {
        expect(expected);
        var body = json();
        assertThat(headers.firstValue("content-type").orElse("")).contains("application/json");
        assertThat(body.path("code").asString("")).as(text()).isEqualTo(code);
        assertThat(body.path("statusCode").asInt(0)).isEqualTo(expected);
        assertThat(body.path("error").asString("")).as("error message").isNotBlank();
        for (var part : inMessage) {
            assertThat(body.path("error").asString()).contains(part);
        }
        assertThat(text()).doesNotContain("Exception", "at dev.ash", "java.");
        return this;
    }
}
