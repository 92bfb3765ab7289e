package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.HttpReading;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import dev.ash.server.egress.model.request.ExfiltrationRequests;
import dev.ash.server.egress.model.request.RequestFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sends model requests that try to reach other hosts through the provider. */
@Timeout(120)
class ModelExfiltrationTest {
    private final Queue<byte[]> forwarded = new ConcurrentLinkedQueue<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private String path = "";

    @AfterEach
    void close() throws Exception {
        for (var one : open) {
            one.close();
        }
    }

    private static ModelApi api(RequestFormat format) {
        return switch (format) {
            case ANTHROPIC_MESSAGES -> ModelApi.ANTHROPIC;
            case OPENAI_RESPONSES, OPENAI_CHAT -> ModelApi.OPENAI;
            case GOOGLE_GENERATE -> ModelApi.GOOGLE;
        };
    }

    private static String path(RequestFormat format) {
        return switch (format) {
            case ANTHROPIC_MESSAGES -> "/v1/messages?beta=true";
            case OPENAI_RESPONSES -> "/v1/responses";
            case OPENAI_CHAT -> "/v1/chat/completions";
            case GOOGLE_GENERATE -> "/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
        };
    }

    private TestProxy start(RequestFormat format) throws IOException {
        var upstream =
                TestUpstream.start(
                        (_, body, out) -> {
                            forwarded.add(body.readAllBytes());
                            TestUpstream.respond(out, "{}");
                        });
        var proxy = TestProxy.allowing();
        open.add(proxy);
        open.add(upstream);
        proxy.use(api(format), upstream, "", new ModelCredential.ApiKey(TestProxy.REAL_KEY));
        path = path(format);
        return proxy;
    }

    private byte[] request(TestProxy proxy, String headers, byte[] body) {
        return request(proxy, headers + "Content-Length: " + body.length + "\r\n", List.of(body));
    }

    private byte[] request(TestProxy proxy, String headers, List<byte[]> parts) {
        var request = new ByteArrayOutputStream();
        request.writeBytes(
                HttpReading.bytes(
                        "POST %s HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer %s\r\n%s\r\n"
                                .formatted(path, proxy.placeholder(), headers)));
        parts.forEach(request::writeBytes);
        return request.toByteArray();
    }

    private byte[] chunked(TestProxy proxy, byte[] body, int size) {
        var chunks = new ArrayList<byte[]>();
        for (int from = 0; from < body.length; from += size) {
            int length = Math.min(size, body.length - from);
            var chunk = new ByteArrayOutputStream();
            chunk.writeBytes(HttpReading.bytes(Integer.toHexString(length) + ";x=y\r\n"));
            chunk.write(body, from, length);
            chunk.writeBytes(HttpReading.bytes("\r\n"));
            chunks.add(chunk.toByteArray());
        }
        chunks.add(HttpReading.bytes("0\r\nmcp_servers: []\r\n\r\n"));
        return request(proxy, "Transfer-Encoding: chunked\r\n", chunks);
    }

    private static int send(TestProxy proxy, byte[]... pieces) throws IOException {
        try (var client = proxy.connect()) {
            for (var piece : pieces) {
                client.send(piece);
            }
            return client.response().status();
        }
    }

    private static String harmless(RequestFormat format) {
        return switch (format) {
            case OPENAI_RESPONSES ->
                    "{ \"store\":false,\n\"input\":\"see https://a.example/ \\u00e9\" }";
            case ANTHROPIC_MESSAGES, OPENAI_CHAT ->
                    "{ \"messages\":[ {\"role\":\"user\",\"content\":\"see https://a.example/ \\u00e9\"} ] }\n";
            case GOOGLE_GENERATE ->
                    "{ \"contents\":[ {\"parts\":[{\"text\":\"see https://a.example/ \\u00e9\"}]} ] }\n";
        };
    }

    @ParameterizedTest
    @EnumSource
    void rejectsExfiltrationRequestsInEveryFraming(RequestFormat format) throws IOException {
        var proxy = start(format);
        for (var exfiltration : ExfiltrationRequests.of(format)) {
            var body = exfiltration.getBytes(StandardCharsets.UTF_8);
            assertThat(send(proxy, request(proxy, "Content-Type: application/json\r\n", body)))
                    .as(exfiltration)
                    .isEqualTo(400);
            assertThat(send(proxy, chunked(proxy, body, 7))).as(exfiltration).isEqualTo(400);
        }
        assertThat(forwarded).isEmpty();
        assertThat(proxy.blocked)
                .isNotEmpty()
                .allSatisfy(
                        blocked -> {
                            assertThat(blocked.host()).isEqualTo("127.0.0.1");
                            assertThat(blocked.reason()).startsWith("Ash rejected the model");
                        });
    }

    @ParameterizedTest
    @EnumSource
    void rejectsBodiesThatParsersReadDifferently(RequestFormat format) throws IOException {
        var proxy = start(format);
        for (var body : ambiguous(format).entrySet()) {
            assertThat(send(proxy, request(proxy, "", body.getValue())))
                    .as(body.getKey())
                    .isEqualTo(400);
            assertThat(send(proxy, chunked(proxy, body.getValue(), 1)))
                    .as(body.getKey() + " in chunks")
                    .isEqualTo(400);
        }
        assertThat(forwarded).isEmpty();
    }

    private static Map<String, byte[]> ambiguous(RequestFormat format) throws IOException {
        var exfiltration = ExfiltrationRequests.of(format).getFirst();
        var plain = harmless(format);
        var bodies = new LinkedHashMap<String, byte[]>();
        for (var charset : List.of("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE")) {
            bodies.put(charset, plain.getBytes(Charset.forName(charset)));
        }
        bodies.put("byte order mark", ("\uFEFF" + plain).getBytes(StandardCharsets.UTF_8));
        bodies.put("latin", plain.replace("see", "s\u00e9e").getBytes(StandardCharsets.ISO_8859_1));
        bodies.put("UTF-7", "+AHsAfQ-".getBytes(StandardCharsets.US_ASCII));
        bodies.put("overlong", replaced(plain, (byte) 0xC1, (byte) 0xB3)); // 's' in two bytes
        bodies.put("surrogate in UTF-8", replaced(plain, (byte) 0xED, (byte) 0xA0, (byte) 0x80));
        bodies.put("gzip", gzip(exfiltration));
        for (var text :
                List.of(
                        "",
                        " ",
                        "[]",
                        "[" + plain + "]",
                        "\"" + "x" + "\"",
                        "null",
                        plain + plain,
                        plain + ",",
                        plain + "\u0000",
                        plain + "//",
                        plain.replace("}", ",}"),
                        plain.replace("{", "{,"),
                        plain.replace("{", "{/**/"),
                        plain.replace("{", "{\"a\":NaN,"),
                        plain.replace("{", "{\"a\":Infinity,"),
                        plain.replace("{", "{\"a\":01,"),
                        plain.replace("{", "{\"a\":+1,"),
                        plain.replace("{", "{\"a\":0x1,"),
                        plain.replace("{", "{'a':1,"),
                        plain.replace("{", "{a:1,"),
                        plain.replace("{", "{\"a\":\"\t\","),
                        plain.replace("{", "{\"a\":\"\\x41\","),
                        plain.replace("{", "{\"a\":1,\"\\u0061\":2,"),
                        plain.replace("{", "{\"a\\ud800\":1,"),
                        plain.replace("{", "{\"a\":\"\\ud800\","),
                        nested(plain, 65),
                        plain.substring(0, plain.lastIndexOf('}')))) {
            bodies.put(text, text.getBytes(StandardCharsets.UTF_8));
        }
        return bodies;
    }

    private static byte[] replaced(String text, byte... bytes) {
        var out = new ByteArrayOutputStream();
        int at = text.indexOf("see");
        out.writeBytes(HttpReading.bytes(text.substring(0, at)));
        out.writeBytes(bytes);
        out.writeBytes(HttpReading.bytes(text.substring(at + 1)));
        return out.toByteArray();
    }

    /** {@code depth} levels, the object itself among them. */
    private static String nested(String plain, int depth) {
        var deep = "[".repeat(depth - 1) + "]".repeat(depth - 1);
        return plain.replaceFirst("\\{", "{\"metadata\":" + deep + ",");
    }

    private static byte[] gzip(String text) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void rejectsBodiesWhoseHeadersDeclareOtherFormats(RequestFormat format) throws IOException {
        var proxy = start(format);
        var body = harmless(format).getBytes(StandardCharsets.UTF_8);
        for (var header :
                List.of(
                        "Content-Encoding: gzip",
                        "Content-Encoding: identity\r\nContent-Encoding: br",
                        "Content-Type: text/plain",
                        "Content-Type: multipart/form-data; boundary=x",
                        "Content-Type: application/json; charset=utf-16",
                        "Content-Type: application/json\r\nContent-Type: application/json")) {
            assertThat(send(proxy, request(proxy, header + "\r\n", body)))
                    .as(header)
                    .isEqualTo(415);
        }
        assertThat(
                        send(
                                proxy,
                                HttpReading.bytes(
                                        "GET %s/models HTTP/1.1\r\nHost: m\r\nx-api-key: %s\r\nContent-Length: 2\r\n\r\n{}"
                                                .formatted(
                                                        format == RequestFormat.GOOGLE_GENERATE
                                                                ? "/v1beta"
                                                                : "/v1",
                                                        proxy.placeholder()))))
                .isEqualTo(400);
        assertThat(forwarded).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void rejectsBodiesThatAreTooLarge(RequestFormat format) throws IOException {
        var proxy = start(format);
        int size = 32 * 1024 * 1024 + 1;

        var announced = request(proxy, "Content-Length: " + size + "\r\n", List.of());
        assertThat(send(proxy, announced)).isEqualTo(413);
        try (var client = proxy.connect()) {
            client.send(request(proxy, "Transfer-Encoding: chunked\r\n", List.of()));
            client.send(HttpReading.bytes(Integer.toHexString(size) + "\r\n"));
            client.send(" ".repeat(size));
            assertThat(client.response().status()).isEqualTo(413);
        }
        var values = "{\"metadata\":[" + "0,".repeat(600_000) + "0]}";
        assertThat(send(proxy, request(proxy, "", values.getBytes(StandardCharsets.UTF_8))))
                .isEqualTo(413);
        assertThat(forwarded).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void forwardsPermittedBodiesUnchangedInEverySplit(RequestFormat format) throws IOException {
        var proxy = start(format);
        var body = harmless(format).getBytes(StandardCharsets.UTF_8);
        var deep = nested(harmless(format), 64).getBytes(StandardCharsets.UTF_8);

        assertThat(send(proxy, request(proxy, "", deep))).isEqualTo(200);
        assertThat(send(proxy, chunked(proxy, body, 3))).isEqualTo(200);
        assertThat(forwarded).containsExactly(deep, body);
        forwarded.clear();

        var exfiltration =
                ExfiltrationRequests.of(format).getFirst().getBytes(StandardCharsets.UTF_8);
        for (var framed : List.of(request(proxy, "", body), chunked(proxy, body, 5))) {
            for (int cut = 1; cut < framed.length; cut++) {
                assertThat(send(proxy, part(framed, 0, cut), part(framed, cut, framed.length)))
                        .isEqualTo(200);
            }
        }
        assertThat(forwarded).isNotEmpty().allSatisfy(bytes -> assertThat(bytes).isEqualTo(body));
        forwarded.clear();
        var hostile = chunked(proxy, exfiltration, 1);
        for (int cut = 1; cut < hostile.length; cut++) {
            assertThat(send(proxy, part(hostile, 0, cut), part(hostile, cut, hostile.length)))
                    .isEqualTo(400);
        }
        assertThat(forwarded).isEmpty();
    }

    private static byte[] part(byte[] bytes, int from, int to) {
        return java.util.Arrays.copyOfRange(bytes, from, to);
    }

    @ParameterizedTest
    @EnumSource
    void doesNotForwardTruncatedRequests(RequestFormat format) throws IOException {
        var proxy = start(format);
        var framed = request(proxy, "", harmless(format).getBytes(StandardCharsets.UTF_8));
        try (var client = proxy.connect()) {
            client.send(part(framed, 0, framed.length - 1));
            client.channel.shutdownOutput();
            assertThat(client.isClosed()).isTrue();
        }
        assertThat(forwarded).isEmpty();
    }
}
