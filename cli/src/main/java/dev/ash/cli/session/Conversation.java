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

/** A chat line by line, with line editing and a history that outlives the command. */
final class Conversation {
    private static final int MANY = 1000; // questions of one session

    private final Host host;
    private final AshClient client;
    private final String session;
    private final boolean partial;

    Conversation(Host host, AshClient client, String session) {
        this(host, client, session, true);
    }

    /** {@code partial}: show messages while they grow. */
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
            throw new UncheckedIOException("The terminal cannot be used", e);
        }
    }

    int run(Terminal terminal) {
        return converse(reader(terminal));
    }

    private LineReader reader(Terminal terminal) {
        return LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("ash")
                .variable(LineReader.HISTORY_FILE, host.home().resolve(".ash/chat_history"))
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true) // "!" is only a mark
                .build();
    }

    private int converse(LineReader reader) {
        host.err().println("Ctrl-C breaks off a turn, Ctrl-D leaves.");
        host.err().flush();
        while (true) {
            try {
                var prompt = reader.readLine("> ");
                if (!prompt.isBlank()) {
                    turn(prompt);
                }
            } catch (UserInterruptException e) {
                // The line was thrown away; Ctrl-D leaves.
            } catch (EndOfFileException e) {
                return ExitCode.OK;
            }
        }
    }

    /** A turn that waits for an answer is shown from its question on, which is asked here. */
    void joinOpenTurn() {
        var questions = client.approvals().list(new ApprovalFilter("pending", session, 1, null));
        if (questions.isEmpty()) {
            return;
        }
        var id = questions.getFirst().id();
        client.sessions().events(session, 0, MANY, "approval_required").stream()
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

    /** A refusal ends the turn, not the conversation: the next prompt may fare better. */
    private void turn(Supplier<Turn.Outcome> turn) {
        try {
            if (turn.get() == Turn.Outcome.INTERRUPTED) {
                host.err().println("(interrupted)");
            }
        } catch (AshApiException e) {
            if (e.status() == 404 || e.status() == 410 || e.status() == 401) {
                throw e;
            }
            host.err().println("ash: " + Printable.text(e.message()));
        }
        host.err().flush();
    }
}
