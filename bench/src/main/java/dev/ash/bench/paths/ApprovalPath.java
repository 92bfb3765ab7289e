package dev.ash.bench.paths;

import dev.ash.bench.paths.Recorder.Window;
import java.io.IOException;
import java.nio.file.Files;

/**
 * The approval of a tool call by a device, until the engine runs the call. The device does not
 * follow the session, so that frames about the session are not part of the path.
 */
final class ApprovalPath implements Recorder.Operation, AutoCloseable {
    /** Time for the remaining work of the server after the question. */
    private static final long SETTLE_MILLIS = 300;

    private final PathServer server;
    private final PathServer.Session session;
    private final PathDevice device;
    private int calls;

    ApprovalPath(PathServer server) throws IOException, InterruptedException {
        this.server = server;
        session = server.session(",\"permissionMode\":\"ask\"");
        device = new PathDevice(server.server());
    }

    /** The engine sleeps after its call, so that its next message is not part of the path. */
    @Override
    public Window perform() throws IOException, InterruptedException {
        var file = "approved-" + ++calls;
        var prompt = "{\"content\":\"demo: run touch %s; sleep 1\"}".formatted(file);
        server.server().begin(session.path() + "/messages", prompt);
        var call = awaitQuestion();
        Thread.sleep(SETTLE_MILLIS);
        long begin = System.nanoTime();
        device.send(
                "approval_response",
                "\"session_id\":\"%s\",\"decision\":\"approved\",\"tool_call_id\":\"%s\""
                        .formatted(session.id(), call));
        PathServer.await(() -> Files.exists(session.workspace(file)));
        long end = System.nanoTime();
        PathServer.await(() -> turnsDone() == calls);
        return new Window(begin, end, "http-request"); // the stream of the turn
    }

    private long turnsDone() throws IOException, InterruptedException {
        var events = server.server().get(session.path() + "/events?limit=1000");
        return events.split("\"type\":\"turn_complete\"", -1).length - 1L;
    }

    private String awaitQuestion() throws IOException, InterruptedException {
        var open = "/api/approvals?status=pending&sessionId=" + session.id();
        PathServer.await(() -> server.server().get(open).contains("toolUseId"));
        return PathServer.field("toolUseId", server.server().get(open));
    }

    @Override
    public void close() {
        device.close();
    }
}
