package dev.ash.bench.floor;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * Writes {@code /COUNT/BYTES} deltas as fast as possible: one write for the two frames of each
 * delta, like the server of Ash.
 */
public final class BareStreamServer extends Handler.Abstract {
    public static void main(String[] args) throws Exception {
        var server = new Server();
        var connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new BareStreamServer());
        server.start();
        new PrintStream(System.out, true, UTF_8).println(connector.getLocalPort());
        server.join();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var parts = Request.getPathInContext(request).split("/", -1);
        int count = Integer.parseInt(parts[1]);
        int bytes = Integer.parseInt(parts[2]);
        var first = "event: text_delta\ndata: {\"delta\":\"word \"}\n\nevent: message\ndata: ";
        var padding = "x".repeat(Math.max(1, bytes - first.length() - 2));
        var frames = (first + padding + "\n\n").getBytes(UTF_8);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
        for (int i = 0; i < count; i++) {
            Content.Sink.write(response, false, ByteBuffer.wrap(frames));
        }
        Content.Sink.write(response, true, ByteBuffer.allocate(0));
        callback.succeeded();
        return true;
    }
}
