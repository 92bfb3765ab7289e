package dev.ash.cli.session;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.ApprovalFilter;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/** An interactive chat with line editing and a persistent history. */
final class Conversation {
    private static final int MAX_APPROVALS = 1000;

    private final Host host;
    private final AshClient client;
    private final String session;
    private final boolean partial;

    Conversation(Host host, AshClient client, String session) {
        this(host, client, session, true);
    }

    /** {@code partial}: show messages while they are generated. */
    Conversation(Host host, AshClient client, String session, boolean partial) {
        this.host = host;
        this.client = client;
        this.session = session;
        this.partial = partial;
    }

    int run() {
        try (var terminal = TerminalBuilder.builder().name("ash").system(true).dumb(true).build()) {
            return run(terminal);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot use the terminal", e);
        }
    }

    int run(Terminal terminal) {
        return readPrompts(reader(terminal));
    }

    private LineReader reader(Terminal terminal) {
        return LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("ash")
                .variable(LineReader.HISTORY_FILE, host.home().resolve(".ash/chat_history"))
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true) // "!" is ordinary text
                .build();
    }

    private int readPrompts(LineReader reader) {
        host.err().println("Ctrl-C interrupts a turn, Ctrl-D exits.");
        host.err().flush();
        while (true) {
            try {
                var prompt = reader.readLine("> ");
                if (!prompt.isBlank()) {
                    turn(prompt);
                }
            } catch (UserInterruptException e) {
                // The line was discarded; Ctrl-D exits.
            } catch (EndOfFileException e) {
                return ExitCode.OK;
            }
        }
    }

    /** Joins a turn that waits for an approval, and asks it here. */
    void joinOpenTurn() {
        var questions = client.approvals().list(new ApprovalFilter("pending", session, 1, null));
        if (questions.isEmpty()) {
            return;
        }
        var id = questions.getFirst().id();
        client.sessions().events(session, 0, MAX_APPROVALS, "approval_required").stream()
                .filter(event -> event.data() != null && event.data().contains(id))
                .findFirst()
                .ifPresent(
                        asked ->
                                turn(
                                        () ->
                                                new Turn(host, client, session, false)
                                                        .join(asked.seq() - 1)));
    }

    private void turn(String prompt) {
        var message = SessionApi.SendMessage.text(prompt, partial);
        turn(() -> new Turn(host, client, session, false).run(message));
    }

    /** Runs a turn. An error ends the turn but not the chat, unless the session is gone. */
    private void turn(Supplier<Turn.Outcome> turn) {
        try {
            if (turn.get() == Turn.Outcome.INTERRUPTED) {
                host.err().println("(interrupted)");
            }
        } catch (AshApiException e) {
            if (e.status() == 404 || e.status() == 410 || e.status() == 401) {
                throw e;
            }
            host.err().println("ash: " + Printable.text(e.getMessage()));
        }
        host.err().flush();
    }
}
