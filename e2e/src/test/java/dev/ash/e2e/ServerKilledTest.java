package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Kills the server while the real CLI runs a tool: the next server continues the turn. */
@NeedsClaude
class ServerKilledTest {
    @RegisterExtension static final AshExtension ash = AshExtension.claude().agent("hello");

    @Test
    void nextServerFinishesTurnWhoseToolEndedWithoutServer() throws Exception {
        assertTurnContinues(
                session -> {
                    session.signal("go");
                    session.awaitWorkspaceFile("tool.log", "begun\nended\n");
                    // The engine retries its model call, which goes through a server, until one
                    // runs.
                },
                session -> {});
    }

    @Test
    void nextServerAdoptsRunningTool() throws Exception {
        assertTurnContinues(session -> {}, session -> session.signal("go"));
    }

    private interface Action {
        void on(TestSession session);
    }

    private static void assertTurnContinues(Action whileDown, Action whileUp)
            throws InterruptedException {
        var session = ash.session("hello");
        session.ask("SAY:before the crash");
        var seen = new ArrayList<Frame>();
        long engine;
        long bridge;
        var prompt = "of " + session.id() + "\n" + Script.waitingTool() + "\nSAY:after it";
        try (var turn = session.send(prompt)) {
            readToToolCall(turn, seen);
            session.awaitWorkspaceFile("tool.log", "begun\n");
            engine = session.enginePid();
            bridge = session.bridgePid();

            ash.kill();
        }
        whileDown.on(session);
        ash.startAgain();
        var same = ash.session(session);
        assertThat(same.status()).isEqualTo("active");
        assertThat(same.workspaceFile("tool.log")).startsWith("begun\n");

        try (var rest = same.follow(seen.getLast().id())) {
            whileUp.on(same);
            seen.addAll(rest.rest());
        }

        assertThat(Frame.said(seen)).isEqualTo("after it");
        assertThat(Frame.names(seen)).doesNotContain("error");
        assertThat(same.workspaceFile("tool.log")).isEqualTo("begun\nended\n");
        assertThat(same.enginePid()).isEqualTo(engine);
        assertThat(same.bridgePid()).isEqualTo(bridge);
        assertThat(logged(seen)).isEqualTo(log(same, seen.getFirst().id()));
        var request = ash.model().awaitTurn("of " + session.id());
        assertThat(request.everything()).contains("before the crash");
        assertThat(Frame.said(same.ask("SAY:and on"))).isEqualTo("and on");
        assertThat(ash.model().awaitTurn("SAY:and on").everything()).contains("before the crash");
        same.end().expect(200);
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

    private static List<Frame> logged(List<Frame> frames) {
        return frames.stream().filter(frame -> frame.id() > 0).toList();
    }

    /** Returns the logged frames from this event on, as a late subscriber receives them. */
    private static List<Frame> log(TestSession session, long from) {
        try (var all = session.follow(from - 1)) {
            return logged(all.rest());
        }
    }
}
