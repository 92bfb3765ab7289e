package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Keyboard;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.AshException;
import dev.ash.sdk.PairEvent;
import dev.ash.sdk.PairsClient;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user on the terminal to decide a disagreement, in a separate thread, because it may be
 * decided elsewhere in the meantime. Without a terminal, prints the command for deciding.
 */
final class DisagreementPrompt implements AutoCloseable {
    private static final Map<String, String> DECISIONS =
            Map.of("g", "go_on", "a", "accept", "r", "reject");

    private final Host host;
    private final PairsClient pairs;
    private final Pair pair;
    private final boolean json;
    private @Nullable ActivePrompt active;

    /**
     * Closed by the flag, not by an interrupt, which could abort the call that sends the answer.
     */
    private record ActivePrompt(Thread thread, AtomicBoolean open) {}

    DisagreementPrompt(Host host, PairsClient pairs, Pair pair, boolean json) {
        this.host = host;
        this.pairs = pairs;
        this.pair = pair;
        this.json = json;
    }

    void handle(PairEvent event) {
        if (json) {
            return; // the JSON lines contain the question
        }
        switch (event.type()) {
            case "question" -> begin(event.content());
            case "answer", "end" -> close();
            default -> {}
        }
    }

    private void begin(String text) {
        close();
        if (pairs.get(pair.id()).question() == null) {
            return; // replayed event; already answered
        }
        print(Printable.text(text.strip()));
        if (host.terminals().in()) {
            var open = new AtomicBoolean(true);
            active = new ActivePrompt(Thread.ofVirtual().start(() -> ask(open)), open);
        } else {
            print(PairText.answerAdvice(pair));
        }
    }

    private void ask(AtomicBoolean open) {
        var keyboard = new Keyboard(host.in());
        try {
            keyboard.discardInput();
            while (true) {
                host.err().print("[g]o on / [a]ccept / [r]eject, and a reason > ");
                host.err().flush();
                var line = keyboard.readLine(open::get);
                if (line == null) {
                    return;
                }
                var words = line.split("\\s+", 2);
                var decision = decision(words[0]);
                if (decision.isPresent()) {
                    send(decision.get(), words.length > 1 ? words[1] : null);
                    return;
                }
                print(
                        "g: continue, with your message for both peers; a: accept the work as it is; r: end the run as rejected.");
            }
        } catch (IOException e) {
            print("ash: cannot read the answer: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Parses a decision or a prefix of it, such as {@code g} or {@code go}. */
    static Optional<String> decision(String word) {
        var lower = word.toLowerCase(Locale.ROOT).replace('-', '_');
        return lower.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(DECISIONS.get(lower.substring(0, 1)))
                        .filter(decision -> decision.startsWith(lower));
    }

    private void send(String decision, @Nullable String reason) {
        try {
            pairs.answer(pair.id(), decision, reason);
        } catch (AshException e) {
            print("ash: " + Printable.text(e.getMessage()));
        }
    }

    private void print(String text) {
        host.out().flush();
        host.err().println(text);
        host.err().flush();
    }

    @Override
    public void close() {
        var previous = active;
        active = null;
        if (previous != null) {
            previous.open().set(false);
            try {
                previous.thread().join(); // otherwise it would consume the next input
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
