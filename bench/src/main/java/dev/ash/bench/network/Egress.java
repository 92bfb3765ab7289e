package dev.ash.bench.network;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ash.bench.result.Figure;
import dev.ash.bench.run.Benchmark;
import dev.ash.bench.run.Measurement;
import dev.ash.bench.server.BenchServer;
import dev.ash.bench.server.BenchSession;
import dev.ash.bench.server.ServerSettings;
import dev.ash.bench.turn.ModelApi;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.regex.Pattern;

/** A streamed call of the model API through the proxy of a sandbox, compared with a direct one. */
public final class Egress implements Benchmark {
    private static final int WARM_UP = 50;
    private static final Pattern KEY = Pattern.compile("key=([^\"\\\\\\s]+)");
    private static final String BODY =
            """
            {"model":"claude-sonnet-4-5","stream":true,"max_tokens":100,\
            "messages":[{"role":"user","content":"hello"}]}""";

    @Override
    public String name() {
        return "egress";
    }

    @Override
    public String description() {
        return "a model call through the proxy of a sandbox, against a direct one";
    }

    @Override
    public void run(Measurement measurement) throws Exception {
        var model = measurement.own(new ModelApi());
        var server =
                measurement.server(
                        ServerSettings.cold()
                                .with("ASH_ENGINE", "demo")
                                .with("ANTHROPIC_API_KEY", "sk-ant-key-of-nobody")
                                .with("ANTHROPIC_BASE_URL", model.url()));
        var session = server.session();
        var proxy = UnixDomainSocketAddress.of(socket(server));
        var direct = new InetSocketAddress(InetAddress.getLoopbackAddress(), model.port());
        var request = request(key(server, session));
        var proxied = new ArrayList<Double>();
        var floor = new ArrayList<Double>();
        int samples = measurement.samples(200);
        for (int i = -WARM_UP; i < samples; i++) {
            measurement.progress("call %d of %d", i + 1, samples);
            double through = call(proxy, request);
            double without = call(direct, request);
            if (i >= 0) {
                proxied.add(through);
                floor.add(without);
            }
        }
        measurement.release(server);
        measurement.release(model);
        measurement.record(
                Figure.millis("model call through the proxy", Figure.OWN, proxied)
                        .over("direct call", floor)
                        .note("a new connection for each call"));
    }

    private static Path socket(BenchServer server) throws IOException {
        try (var files = Files.walk(server.data().resolve("egress"))) {
            return files.filter(file -> file.endsWith("proxy.sock")).findFirst().orElseThrow();
        }
    }

    private static String key(BenchServer server, BenchSession session)
            throws IOException, InterruptedException {
        var response =
                server.post(
                        session.path() + "/exec",
                        "{\"command\":\"echo key=$ANTHROPIC_API_KEY$ANTHROPIC_AUTH_TOKEN\"}");
        var found = KEY.matcher(response);
        if (!found.find()) {
            throw new IOException("no key in " + response);
        }
        return found.group(1);
    }

    private static byte[] request(String key) {
        return ("POST /v1/messages HTTP/1.1\r\nHost: model\r\nConnection: close\r\n"
                        + "Content-Type: application/json\r\nAuthorization: Bearer "
                        + key
                        + "\r\nx-api-key: "
                        + key
                        + "\r\nContent-Length: "
                        + BODY.length()
                        + "\r\n\r\n"
                        + BODY)
                .getBytes(US_ASCII);
    }

    private static double call(SocketAddress address, byte[] request) throws IOException {
        long begin = System.nanoTime();
        try (var channel = SocketChannel.open(address)) {
            var out = ByteBuffer.wrap(request);
            while (out.hasRemaining()) {
                channel.write(out);
            }
            var in = ByteBuffer.allocate(64 * 1024);
            while (channel.read(in) >= 0) {
                // to the end
            }
            double millis = (System.nanoTime() - begin) / 1e6;
            var response = new String(in.array(), 0, in.position(), US_ASCII);
            if (!response.contains("message_stop")) {
                throw new IOException("the model call failed: " + response);
            }
            return millis;
        }
    }
}
