package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that is killed under a turn of the real Codex CLI; the next one takes it over. */
@NeedsCodex
class CodexServerKilledTest {
    @RegisterExtension static final AshExtension ash = AshExtension.codex().agent("hello");

    @Test
    void aCommandThatOutlivesTheServerIsTakenOverRunning() throws InterruptedException {
        var session = ash.session("hello");
        session.ask("SAY:before the crash");
        var seen = new ArrayList<Frame>();
        long engine;
        var waiting =
                "echo begun >> tool.log; while [ ! -e go ]; do sleep 0.05; done; echo ended >> tool.log";
        try (var turn = session.send(CodexTurnTest.run(waiting) + "\nSAY:after it")) {
            readToToolCall(turn, seen);
            session.awaitWorkspaceFile("tool.log", "begun\n");
            engine = CodexTurnTest.codex(session);

            ash.kill();
        }
        session.signal("go"); // its engine calls the model now, until there is a server to carry it
        session.awaitWorkspaceFile("tool.log", "begun\nended\n");
        ash.startAgain();
        var same = ash.session(session);

        try (var rest = same.follow(seen.getLast().id())) {
            seen.addAll(rest.rest());
        }

        assertThat(Frame.said(seen)).isEqualTo("after it");
        assertThat(Frame.names(seen)).doesNotContain("error");
        assertThat(CodexTurnTest.codex(same)).isEqualTo(engine);
        assertThat(Frame.said(same.ask("SAY:and on"))).isEqualTo("and on");
        assertThat(ash.model().awaitTurn("SAY:and on").everything()).contains("before the crash");
    }

    @Test
    void aQuestionOutlivesTheServer() throws InterruptedException {
        var session = ash.session(Map.of("agent", "hello", "permissionMode", "ask"));
        var seen = new ArrayList<Frame>();
        try (var turn = session.send(CodexTurnTest.run("echo x >> asked.txt") + "\nSAY:asked")) {
            readToToolCall(turn, seen);
            session.awaitApproval();

            ash.kill();
        }
        ash.startAgain();
        var same = ash.session(session);
        try (var rest = same.follow(seen.getLast().id())) {
            same.approve(same.awaitApproval());
            seen.addAll(rest.rest());
        }

        assertThat(Frame.said(seen)).isEqualTo("asked");
        assertThat(same.workspaceFile("asked.txt")).isEqualTo("x\n");
    }

    @Test
    void anAnswerOfTheModelThatWasCutIsAskedForAgain() throws InterruptedException {
        var session = ash.session("hello");
        long before;
        try (var turn = session.send("HOLD", Map.of("includePartialMessages", true))) {
            before = turn.next("message").id();
            turn.next("text_delta");

            ash.kill();
        }
        ash.startAgain();
        var same = ash.session(session);
        try (var rest = same.follow(before)) {
            ash.model().release(); // of the answer that nobody hears any more
            ash.model().release();

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
