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
 * A disagreement that the person decides on the terminal, on a thread of its own, because somebody
 * elsewhere may be faster; where there is no terminal, it is told how to decide it.
 */
final class PairQuestion implements AutoCloseable {
    private static final Map<String, String> DECISIONS =
            Map.of("g", "go_on", "a", "accept", "r", "reject");

    private final Host host;
    private final PairsClient pairs;
    private final Pair pair;
    private final boolean json;
    private @Nullable Asked asked;

    /** No interrupt: it would break off the very call that gives the answer. */
    private record Asked(Thread thread, AtomicBoolean open) {}

    PairQuestion(Host host, PairsClient pairs, Pair pair, boolean json) {
        this.host = host;
        this.pairs = pairs;
        this.pair = pair;
        this.json = json;
    }

    void see(PairEvent event) {
        if (json) {
            return; // whoever reads the lines has it all
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
            return; // long answered, and only read again
        }
        say(Printable.text(text.strip()));
        if (host.terminals().in()) {
            var open = new AtomicBoolean(true);
            asked = new Asked(Thread.ofVirtual().start(() -> ask(open)), open);
        } else {
            say(PairText.answerAdvice(pair));
        }
    }

    private void ask(AtomicBoolean open) {
        var keyboard = new Keyboard(host.in());
        try {
            keyboard.forget();
            while (true) {
                host.err().print("[g]o on / [a]ccept / [r]eject, and why > ");
                host.err().flush();
                var line = keyboard.line(open::get);
                if (line == null) {
                    return;
                }
                var words = line.split("\\s+", 2);
                var decision = decision(words[0]);
                if (decision.isPresent()) {
                    give(decision.get(), words.length > 1 ? words[1] : null);
                    return;
                }
                say(
                        "g lets them go on, with your words for both; a takes the work as it is; r ends the run as rejected.");
            }
        } catch (IOException e) {
            say("ash: The answer cannot be read: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@code g}, {@code go} and {@code go_on} are one. */
    static Optional<String> decision(String word) {
        var lower = word.toLowerCase(Locale.ROOT).replace('-', '_');
        return lower.isEmpty()
                ? Optional.empty()
                : Optional.ofNullable(DECISIONS.get(lower.substring(0, 1)))
                        .filter(decision -> decision.startsWith(lower));
    }

    private void give(String decision, @Nullable String why) {
        try {
            pairs.answer(pair.id(), decision, why);
        } catch (AshException e) {
            say("ash: " + Printable.text(e.message()));
        }
    }

    private void say(String text) {
        host.out().flush();
        host.err().println(text);
        host.err().flush();
    }

    @Override
    public void close() {
        var before = asked;
        asked = null;
        if (before != null) {
            before.open().set(false);
            try {
                before.thread().join(); // or it would take the first word of what is typed next
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
