package dev.ash.bench.paths;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ash.bench.paths.Recorder.Window;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/** A call of the model API on the socket of a sandbox, to the last byte of its response. */
final class ModelCallPath implements Recorder.Operation {
    private static final String BODY =
            """
            {"model":"claude-opus-4-1-20250805","stream":true,"max_tokens":100,\
            "messages":[{"role":"user","content":"hello"}]}""";

    private final Path socket;
    private final byte[] request;

    ModelCallPath(PathServer server) throws IOException, InterruptedException {
        var egress = server.data().resolve("egress");
        var before = sockets(egress);
        var session = server.session("");
        var opened = sockets(egress);
        opened.removeAll(before);
        socket = opened.iterator().next();
        var response =
                server.server()
                        .post(
                                session.path() + "/exec",
                                "{\"command\":\"echo key=\\\\\\\"$ANTHROPIC_API_KEY\\\\\\\"\"}");
        var key = response.replaceAll("(?s).*key=\\\\\"([^\\\\]*)\\\\\".*", "$1");
        request =
                ("POST /v1/messages HTTP/1.1\r\nHost: model\r\nConnection: close\r\n"
                                + "Authorization: Bearer "
                                + key
                                + "\r\nContent-Length: "
                                + BODY.length()
                                + "\r\n\r\n"
                                + BODY)
                        .getBytes(US_ASCII);
    }

    private static Set<Path> sockets(Path egress) throws IOException {
        if (!Files.exists(egress)) {
            return Set.of();
        }
        try (var files = Files.walk(egress)) {
            return new HashSet<>(files.filter(file -> file.endsWith("proxy.sock")).toList());
        }
    }

    @Override
    public Window perform() throws IOException {
        long begin = System.nanoTime();
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            var out = ByteBuffer.wrap(request);
            while (out.hasRemaining()) {
                channel.write(out);
            }
            var in = ByteBuffer.allocate(64 * 1024);
            while (channel.read(in) >= 0) {
                // to the end
            }
            long end = System.nanoTime();
            var response = new String(in.array(), 0, in.position(), US_ASCII);
            if (!response.contains("message_stop")) {
                throw new IOException("the model call failed: " + response);
            }
            return new Window(begin, end);
        }
    }
}
