package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.model.ScriptedModelApi;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server that is killed under a turn of the real Codex CLI; the next one takes it over. */
@NeedsCodex
class CodexServerKilledTest {
    private static ScriptedModelApi api;
    private static AshServer server;

    @BeforeAll
    static void start() {
        api = ScriptedModelApi.start();
        server = CodexServer.start(api);
        server.deploy("hello");
    }

    @AfterAll
    static void stop() {
        server.close();
        api.close();
    }

    @Test
    void aCommandThatOutlivesTheServerIsTakenOverRunning() throws InterruptedException {
        var session = server.session("hello");
        session.ask("SAY:before the crash");
        var seen = new ArrayList<Frame>();
        long engine;
        var waiting =
                "echo begun >> tool.log; while [ ! -e go ]; do sleep 0.05; done; echo ended >> tool.log";
        try (var turn = session.send(CodexTurnTest.run(waiting) + "\nSAY:after it")) {
            readToToolCall(turn, seen);
            session.awaitWorkspaceFile("tool.log", "begun\n");
            engine = CodexTurnTest.codex(session);

            server.kill();
        }
        session.signal("go"); // its engine calls the model now, until there is a server to carry it
        session.awaitWorkspaceFile("tool.log", "begun\nended\n");
        server = server.startAgain();
        var same = session.on(server);

        try (var rest = same.follow(seen.getLast().id())) {
            seen.addAll(rest.rest());
        }

        assertThat(Frame.said(seen)).isEqualTo("after it");
        assertThat(Frame.names(seen)).doesNotContain("error");
        assertThat(CodexTurnTest.codex(same)).isEqualTo(engine);
        assertThat(Frame.said(same.ask("SAY:and on"))).isEqualTo("and on");
        assertThat(api.awaitTurn("SAY:and on").everything()).contains("before the crash");
    }

    @Test
    void aQuestionOutlivesTheServer() throws InterruptedException {
        var session = server.session(Map.of("agent", "hello", "permissionMode", "ask"));
        var seen = new ArrayList<Frame>();
        try (var turn = session.send(CodexTurnTest.run("echo x >> asked.txt") + "\nSAY:asked")) {
            readToToolCall(turn, seen);
            session.awaitApproval();

            server.kill();
        }
        server = server.startAgain();
        var same = session.on(server);
        try (var rest = same.follow(seen.getLast().id())) {
            same.approve(same.awaitApproval());
            seen.addAll(rest.rest());
        }

        assertThat(Frame.said(seen)).isEqualTo("asked");
        assertThat(same.workspaceFile("asked.txt")).isEqualTo("x\n");
    }

    @Test
    void anAnswerOfTheModelThatWasCutIsAskedForAgain() throws InterruptedException {
        var session = server.session("hello");
        long before;
        try (var turn = session.send("HOLD", Map.of("includePartialMessages", true))) {
            before = turn.next("message").id();
            turn.next("text_delta");

            server.kill();
        }
        server = server.startAgain();
        var same = session.on(server);
        try (var rest = same.follow(before)) {
            api.release(); // of the answer that nobody hears any more
            api.release();

            var frames = rest.rest();

            assertThat(Frame.said(frames)).isEqualTo("holding released");
            assertThat(Frame.names(frames)).doesNotContain("error");
        }
    }

    /** Up to the message that calls the tool; only what has an id is kept. */
    private static void readToToolCall(FrameReader turn, List<Frame> seen) {
        Frame frame;
        do {
            frame = turn.next();
            if (frame.id() > 0) {
                seen.add(frame);
            }
        } while (frame.id() == 0 || !frame.data().contains("\"tool_use\""));
    }
}
