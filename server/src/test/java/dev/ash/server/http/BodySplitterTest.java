package dev.ash.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.SessionApi;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class BodySplitterTest {
    private static final Set<String> PATHS = Set.of("bundle", "files[].content");

    private final AtomicInteger large = new AtomicInteger();

    private byte[] split(String body, Spool spool) throws IOException {
        var splitter = new BodySplitter(PATHS, spool, 1024 * 1024, large::incrementAndGet);
        return splitter.split(
                new ByteArrayInputStream(body.getBytes(UTF_8)),
                Long.MAX_VALUE,
                () -> {
                    throw new AssertionError();
                });
    }

    private static String text(Spool spool, String name) throws IOException {
        return new String(spool.open(name).readAllBytes(), UTF_8);
    }

    /** Any request is equal to the request without splitting. */
    @Property(tries = 200)
    void spoolsContentsAndKeepsRemainingJson(@ForAll @Size(max = 5) Map<String, Integer> sizes)
            throws IOException {
        var files =
                sizes.entrySet().stream()
                        .filter(file -> isEncodable(file.getKey()))
                        .map(
                                file ->
                                        new AgentApi.FileUpload(
                                                file.getKey(),
                                                "aB+/\r\n".repeat((file.getValue() & 0xFFFF) / 2),
                                                "content",
                                                null))
                        .toList();
        try (var spool = new Spool()) {
            var rest =
                    split(
                            new String(Json.write(new SessionApi.WriteFiles(files, "x")), UTF_8),
                            spool);

            var read = Json.read(rest, SessionApi.WriteFiles.class);

            assertThat(read.targetPath()).isEqualTo("x");
            assertThat(read.files()).hasSameSizeAs(files);
            for (int i = 0; i < files.size(); i++) {
                assertThat(read.files().get(i).path()).isEqualTo(files.get(i).path());
                assertThat(read.files().get(i).mimeType()).isEqualTo("content");
                assertThat(text(spool, read.files().get(i).content()))
                        .isEqualTo(files.get(i).content());
            }
        }
    }

    private static boolean isEncodable(String text) {
        return UTF_8.newEncoder().canEncode(text);
    }

    @Test
    void spoolsOnlyConfiguredPaths() throws IOException {
        var body =
                "{\"name\":\"a\", \"config\":{\"content\":\"1\",\"files\":[{\"content\":\"2\"}]},\"env\":{\"bundle\":\"3\"},"
                        + "\"content\":\"4\",\"files\" : [ {\"content\" : \"5\\u0036\\/\"} , {\"conten\\u0074\":\"7\"},"
                        + " {\"path\":\"content\",\"more\":{\"content\":\"8\"}}], \"bundle\":\"\"}";
        try (var spool = new Spool()) {
            var rest = new String(split(body, spool), UTF_8);

            var names =
                    rest.replaceAll("(?s).*?\"(spooled-[^\"]*)\"|.*", "$1 ").strip().split(" +");
            assertThat(names).hasSize(2);
            assertThat(text(spool, names[0])).isEqualTo("56/");
            assertThat(text(spool, names[1])).isEmpty();
            assertThat(rest)
                    .isEqualTo(
                            body.replace("5\\u0036\\/", names[0])
                                    .replace(
                                            "\"bundle\":\"\"}",
                                            "\"bundle\":\"" + names[1] + "\"}"));
            assertThat(text(spool, "spooled-by-another-0")).isEqualTo("spooled-by-another-0");
        }
    }

    @Test
    void rejectsLargeJsonAndInvalidStrings() throws IOException {
        try (var spool = new Spool()) {
            assertThatThrownBy(
                            () ->
                                    split(
                                            "{\"name\":\"" + "x".repeat(2 * 1024 * 1024) + "\"}",
                                            spool))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.PAYLOAD_TOO_LARGE));
            assertThat(large).hasValue(1);
            for (var bad : List.of("a\nb", "a\\qb", "a\\u00zz")) {
                assertThatThrownBy(() -> split("{\"bundle\":\"" + bad + "\"}", spool))
                        .isInstanceOfSatisfying(
                                ApiException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_JSON));
            }
        }
    }
}
