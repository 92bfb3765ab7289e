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
 * Reads and writes the mailbox of a run for the loop. Each step writes with its own client id, so
 * that a step repeated after a crash writes no duplicates; the prefix of the id also distinguishes
 * messages of the loop from those of peers.
 */
public final class LoopMailbox {
    /** Prefix of the loop's client ids; peers cannot use it. */
    public static final String CLIENT_ID_PREFIX = "ash:";

    private static final String PLAN = "plan";
    private static final int PAGE = 500;
    private static final int MAX_CHARS = 1_000_000;

    private final Mailbox mailbox;

    public LoopMailbox(Mailbox mailbox) {
        this.mailbox = mailbox;
    }

    /** The round of a message and the number of turns before it. */
    record Position(int round, int turn) {}

    long lastSeq() {
        try {
            return mailbox.status().total();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void postTask(PeerName to, String task) {
        post(
                Draft.of(MessageType.TASK, PeerName.SYSTEM, to.value(), task),
                new Position(0, 0),
                "task");
    }

    void postResult(PeerName from, String to, String text, Position position, String step) {
        var draft = Draft.of(MessageType.RESULT, from.value(), to, truncate(text));
        post(draft, position, step + "-result", details(step));
    }

    /** Posts the DONE signal, unless the worker sent it itself. */
    void postDone(PeerName worker, Position position, long since) {
        if (!hasDoneSignal(worker, since)) {
            post(
                    Draft.signal(Signal.DONE, worker.value(), "", "The work is done"),
                    position,
                    "done");
        }
    }

    boolean hasDoneSignal(PeerName worker, long since) {
        return after(since).stream()
                .map(Entry::message)
                .anyMatch(m -> m.from().equals(worker.value()) && isSignal(m, Signal.DONE));
    }

    /** Posts a verdict on behalf of the reviewer, which did not submit it by tool. */
    void postVerdict(PeerName judge, String to, Verdict verdict, Position position, String step) {
        var text = truncate(verdict.summary().isBlank() ? verdict.signal() : verdict.summary());
        var details = details(step, verdict.signal());
        post(
                Draft.of(MessageType.REVIEW, judge.value(), to, text),
                position,
                step + "-review",
                details);
        post(
                Draft.signal(Signal.valueOf(verdict.signal()), judge.value(), "", text)
                        .withMetadata(VerdictJson.write(verdict, null)),
                position,
                step + "-verdict",
                details);
    }

    /**
     * Returns the verdicts that the reviewer submitted by tool after {@code since}, except those on
     * other commits.
     */
    List<Verdict> verdicts(PeerName judge, long since, @Nullable String commit) {
        var verdicts = new ArrayList<Verdict>();
        for (var entry : after(since)) {
            var message = entry.message();
            if (message.from().equals(judge.value()) && !isFromLoop(message)) {
                readVerdict(message, commit).ifPresent(verdicts::add);
            }
        }
        return verdicts;
    }

    private static Optional<Verdict> readVerdict(Message message, @Nullable String commit) {
        if (message.knownType().filter(type -> type == MessageType.SIGNAL).isEmpty()) {
            return Optional.empty(); // the review message before the signal has the same verdict
        }
        var submitted = VerdictJson.read(message.metadata());
        if (submitted.isPresent()) {
            var reviewed = submitted.get().commit();
            return reviewed.isEmpty() || Objects.equals(reviewed.get(), commit)
                    ? Optional.of(submitted.get().verdict())
                    : Optional.empty();
        }
        return message.knownSignal()
                .filter(signal -> signal != Signal.DONE)
                .map(signal -> new Verdict(signal == Signal.PASS, message.content(), List.of()));
    }

    void postQuestion(String text, Position position) {
        post(
                Draft.of(MessageType.CHAT, PeerName.SYSTEM, PeerName.HUMAN, text),
                position,
                "question");
    }

    void postUserAnswer(String text, Position position) {
        post(Draft.of(MessageType.CHAT, PeerName.HUMAN, "", text), position, "answer");
    }

    /** Messages of the user to a peer, and the number of the last message that was read. */
    record UserMessages(List<String> texts, long last) {}

    UserMessages userMessages(PeerName peer, long since) {
        var texts = new ArrayList<String>();
        long last = since;
        for (var entry : after(since)) {
            var message = entry.message();
            last = entry.seq();
            if (message.from().equals(PeerName.HUMAN) && message.isFor(peer.value())) {
                texts.add(text(message));
            }
        }
        return new UserMessages(texts, last);
    }

    /** Removes the round label that {@link #postUserAnswer} added. */
    private static String text(Message message) {
        var label = Draft.roundLabel(message.iteration());
        return isFromLoop(message) && message.content().startsWith(label)
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

    /** Distinguishes a plan from the work on it, which is in the same round. */
    private static String[] details(String step, String... more) {
        var plan = step.startsWith(PLAN) ? Stream.of(PLAN) : Stream.<String>empty();
        return Stream.concat(plan, Stream.of(more)).toArray(String[]::new);
    }

    private void post(Draft draft, Position position, String step, String... details) {
        try {
            mailbox.append(
                    draft.inRound(position.round(), details)
                            .withClientId(
                                    CLIENT_ID_PREFIX
                                            + "r"
                                            + position.round()
                                            + "-"
                                            + step
                                            + "-"
                                            + position.turn()));
        } catch (ApiException e) {
            // A previous version that was killed in this step wrote a different text.
            if (e.code() != ErrorCode.IDEMPOTENCY_MISMATCH) {
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isFromLoop(Message message) {
        return message.clientId() != null && message.clientId().startsWith(CLIENT_ID_PREFIX);
    }

    private static boolean isSignal(Message message, Signal signal) {
        return message.knownSignal().filter(s -> s == signal).isPresent();
    }

    private static String truncate(String text) {
        return Excerpt.of(text, MAX_CHARS);
    }
}
