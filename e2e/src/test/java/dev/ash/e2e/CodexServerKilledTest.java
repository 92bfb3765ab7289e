package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Kills the server during a turn of the real Codex CLI; the next server adopts the bridge. */
@NeedsCodex
class CodexServerKilledTest {
    @RegisterExtension static final AshExtension ash = AshExtension.codex().agent("hello");

    @Test
    void adoptsRunningCommandAfterServerIsKilled() throws InterruptedException {
        var session = ash.session("hello");
        session.ask("SAY:before the crash");
        var seen = new ArrayList<Frame>();
        long engine;
        var waiting =
                "echo begun >> tool.log; while [ ! -e go ]; do sleep 0.05; done; echo ended >> tool.log";
        try (var turn = session.send(CodexTurnTest.run(waiting) + "\nSAY:after it")) {
            readToToolCall(turn, seen);
            session.awaitWorkspaceFile("tool.log", "begun\n");
            engine = CodexTurnTest.codexPid(session);

            ash.kill();
        }
        session.signal("go"); // the engine retries its model call until a server runs
        session.awaitWorkspaceFile("tool.log", "begun\nended\n");
        ash.startAgain();
        var same = ash.session(session);

        try (var rest = same.follow(seen.getLast().id())) {
            seen.addAll(rest.rest());
        }

        assertThat(Frame.said(seen)).isEqualTo("after it");
        assertThat(Frame.names(seen)).doesNotContain("error");
        assertThat(CodexTurnTest.codexPid(same)).isEqualTo(engine);
        assertThat(Frame.said(same.ask("SAY:and on"))).isEqualTo("and on");
        assertThat(ash.model().awaitTurn("SAY:and on").everything()).contains("before the crash");
    }

    @Test
    void questionSurvivesServerKill() throws InterruptedException {
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
    void retriesModelCallThatWasCutOff() throws InterruptedException {
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
            ash.model().release(); // releases the abandoned response
            ash.model().release();

            var frames = rest.rest();

            assertThat(Frame.said(frames)).isEqualTo("holding released");
            assertThat(Frame.names(frames)).doesNotContain("error");
        }
    }

    /** Reads up to the message with the tool call; keeps only frames with an id. */
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
