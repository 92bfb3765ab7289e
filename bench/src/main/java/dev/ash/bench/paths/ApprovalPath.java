package dev.ash.bench.paths;

import dev.ash.bench.paths.Recorder.Window;
import java.io.IOException;
import java.nio.file.Files;

/**
 * A device's approval of a tool call, until the engine runs the call. The device does not follow
 * the session, so that what a device is told about a session is not part of the path.
 */
final class ApprovalPath implements Recorder.Operation, AutoCloseable {
    /** For what the server does after it asked. */
    private static final long REST_MILLIS = 300;

    private final PathServer server;
    private final PathServer.Session session;
    private final PathDevice device;
    private int calls;

    ApprovalPath(PathServer server) throws IOException, InterruptedException {
        this.server = server;
        session = server.session(",\"permissionMode\":\"ask\"");
        device = new PathDevice(server.server());
    }

    /** The engine rests after its call, so that its next message is not part of the path. */
    @Override
    public Window perform() throws IOException, InterruptedException {
        var file = "approved-" + ++calls;
        var prompt = "{\"content\":\"demo: run touch %s; sleep 1\"}".formatted(file);
        server.server().begin(session.path() + "/messages", prompt);
        var call = awaitQuestion();
        Thread.sleep(REST_MILLIS);
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
