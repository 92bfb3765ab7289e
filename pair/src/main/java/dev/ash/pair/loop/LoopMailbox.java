package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.Entry;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mailbox.Message;
import dev.ash.pair.mailbox.MessageType;
import dev.ash.pair.mailbox.Signal;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictJson;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Excerpt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the loop says and hears in the mailbox. What it says has an id of its own for each step, so
 * that a step done again after a crash says nothing twice, and is told by it from what peers said.
 */
public final class LoopMailbox {
    /** Peers cannot choose ids that begin so. */
    public static final String OURS = "ash:";

    private static final String PLAN = "plan";
    private static final int PAGE = 500;
    private static final int MAX_CHARS = 1_000_000;

    private final Mailbox mailbox;

    public LoopMailbox(Mailbox mailbox) {
        this.mailbox = mailbox;
    }

    /** When something is said: the round, and how many turns there were before. */
    record At(int round, int turn) {}

    long last() {
        try {
            return mailbox.status().total();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void task(PeerName to, String task) {
        say(Draft.of(MessageType.TASK, PeerName.SYSTEM, to.value(), task), new At(0, 0), "task");
    }

    void result(PeerName from, String to, String text, At at, String step) {
        var draft = Draft.of(MessageType.RESULT, from.value(), to, fitting(text));
        say(draft, at, step + "-result", details(step));
    }

    /** Unless the worker sent the signal itself. */
    void done(PeerName worker, At at, long since) {
        if (!saidDone(worker, since)) {
            say(Draft.signal(Signal.DONE, worker.value(), "", "The work is done"), at, "done");
        }
    }

    boolean saidDone(PeerName worker, long since) {
        return after(since).stream()
                .map(Entry::message)
                .anyMatch(m -> m.from().equals(worker.value()) && isSignal(m, Signal.DONE));
    }

    /** The reviewer's verdict in its name, where it did not send it itself. */
    void verdict(PeerName judge, String to, Verdict verdict, At at, String step) {
        var words = fitting(verdict.summary().isBlank() ? verdict.signal() : verdict.summary());
        var details = details(step, verdict.signal());
        say(Draft.of(MessageType.REVIEW, judge.value(), to, words), at, step + "-review", details);
        say(
                Draft.signal(Signal.valueOf(verdict.signal()), judge.value(), "", words)
                        .withMetadata(VerdictJson.write(verdict, null)),
                at,
                step + "-verdict",
                details);
    }

    /**
     * What the reviewer gave by its tools since then. One about another commit counts for nothing.
     */
    List<Verdict> verdicts(PeerName judge, long since, @Nullable String commit) {
        var verdicts = new ArrayList<Verdict>();
        for (var entry : after(since)) {
            var message = entry.message();
            if (message.from().equals(judge.value()) && !isOurs(message)) {
                verdict(message, commit).ifPresent(verdicts::add);
            }
        }
        return verdicts;
    }

    private static Optional<Verdict> verdict(Message message, @Nullable String commit) {
        if (message.knownType().filter(type -> type == MessageType.SIGNAL).isEmpty()) {
            return Optional.empty(); // its review came before, with the same verdict
        }
        var full = VerdictJson.read(message.metadata());
        if (full.isPresent()) {
            var about = full.get().commit();
            return about.isEmpty() || Objects.equals(about.get(), commit)
                    ? Optional.of(full.get().verdict())
                    : Optional.empty();
        }
        return message.knownSignal()
                .filter(signal -> signal != Signal.DONE)
                .map(signal -> new Verdict(signal == Signal.PASS, message.content(), List.of()));
    }

    void question(String text, At at) {
        say(Draft.of(MessageType.CHAT, PeerName.SYSTEM, PeerName.HUMAN, text), at, "question");
    }

    void human(String text, At at) {
        say(Draft.of(MessageType.CHAT, PeerName.HUMAN, "", text), at, "answer");
    }

    /** What the person said to this peer, or to both, after the message of that number. */
    record Person(List<String> texts, long last) {}

    Person person(PeerName peer, long since) {
        var texts = new ArrayList<String>();
        long last = since;
        for (var entry : after(since)) {
            var message = entry.message();
            last = entry.seq();
            if (message.from().equals(PeerName.HUMAN) && message.isFor(peer.value())) {
                texts.add(words(message));
            }
        }
        return new Person(texts, last);
    }

    /** Without the round, where it is {@link #human} that named it. */
    private static String words(Message message) {
        var label = Draft.roundLabel(message.iteration());
        return isOurs(message) && message.content().startsWith(label)
                ? message.content().substring(label.length())
                : message.content();
    }

    private List<Entry> after(long seq) {
        var all = new ArrayList<Entry>();
        try {
            var page = mailbox.read(seq, PAGE);
            while (!page.isEmpty()) {
                all.addAll(page);
                page = mailbox.read(page.getLast().seq(), PAGE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    /** A plan and the work by it belong to the same round. */
    private static String[] details(String step, String... more) {
        var plan = step.startsWith(PLAN) ? Stream.of(PLAN) : Stream.<String>empty();
        return Stream.concat(plan, Stream.of(more)).toArray(String[]::new);
    }

    private void say(Draft draft, At at, String step, String... details) {
        try {
            mailbox.append(
                    draft.inRound(at.round(), details)
                            .withClientId(OURS + "r" + at.round() + "-" + step + "-" + at.turn()));
        } catch (ApiException e) {
            // An earlier version that was killed in this step used other words for it.
            if (e.code() != ErrorCode.IDEMPOTENCY_MISMATCH) {
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOurs(Message message) {
        return message.clientId() != null && message.clientId().startsWith(OURS);
    }

    private static boolean isSignal(Message message, Signal signal) {
        return message.knownSignal().filter(s -> s == signal).isPresent();
    }

    private static String fitting(String text) {
        return Excerpt.of(text, MAX_CHARS);
    }
}
