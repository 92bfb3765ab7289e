package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import dev.ash.pair.mailbox.Entry;
import dev.ash.pair.mailbox.Mailbox;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Test harness for loops: scripted peers, a counter instead of a repository, and a real mailbox.
 * Survives the loops that run on it, as sessions and clones survive a server.
 */
final class LoopHarness implements AutoCloseable {
    static final PeerName WORKER = new PeerName("codex");
    static final PeerName REVIEWER = new PeerName("claude");

    final Mailbox mailbox;
    final ScriptedPeer worker = new ScriptedPeer(WORKER);
    final ScriptedPeer reviewer = new ScriptedPeer(REVIEWER);
    final List<Journal.Event> events = new ArrayList<>();
    final List<String> messages = new ArrayList<>();
    final List<Integer> proofs = new ArrayList<>();
    final RunControl control = new RunControl(false);
    final List<Disagreement> asked = new ArrayList<>();
    final List<Integer> withdrawn = new ArrayList<>();
    final Map<Integer, Arbiter.Answer> answers = new ConcurrentHashMap<>();
    int proofsRun;
    int checkedOut;
    int commit;
    int edits;
    @Nullable Progress last;
    byte[] savedProgress = new byte[0];
    Faults faults = () -> {};

    /** Executes a turn of a peer. */
    interface Turn {
        Reply apply(String prompt);
    }

    /** Injects crashes. */
    interface Faults {
        void point();
    }

    LoopHarness(Path directory) throws IOException {
        this.mailbox = Mailbox.open(directory, 1);
    }

    static RunSpec spec(Budget budget) {
        return new RunSpec(
                "Make it so", Mode.PAIR, false, WORKER, REVIEWER, null, "DONE", budget, false);
    }

    static Budget rounds(int rounds) {
        return new Budget(rounds, Duration.ofMinutes(5), Duration.ofMinutes(5), null, null, 3);
    }

    /** Returns a turn that edits the repository, so that there is a change to commit. */
    static Turn edit(LoopHarness harness, String text) {
        return _ -> {
            harness.edits++;
            return Reply.finished(text);
        };
    }

    static Turn say(String text) {
        return _ -> Reply.finished(text);
    }

    Outcome run(RunSpec spec) throws InterruptedException {
        return loop(spec, new Progress()).run();
    }

    PairLoop loop(RunSpec spec, Progress progress) {
        last = progress;
        return new PairLoop(
                spec,
                progress,
                new PairLoop.Parts(
                        spec.worker() == null ? null : worker,
                        spec.reviewer() == null ? worker : reviewer,
                        new FakeRepositories(),
                        new LoopMailbox(mailbox),
                        new FakeJournal(),
                        (_, _, _) -> {},
                        control,
                        new FakeArbiter(),
                        Duration.ofMillis(1)));
    }

    List<Entry> messages() throws IOException {
        return mailbox.read(0, 10_000);
    }

    @Override
    public void close() throws IOException {
        mailbox.close();
    }

    /** Runs each turn of its script once, and repeats the reply for the same key. */
    final class ScriptedPeer implements Peer {
        private final PeerName name;
        private final List<Turn> script = new ArrayList<>();
        private final Map<String, Reply> replies = new ConcurrentHashMap<>();
        final List<String> prompts = new ArrayList<>();
        @Nullable Turn always;
        @Nullable PeerFailedException failure;
        Usage usageOfFailure = Usage.NONE;
        private Usage failureUsage = Usage.NONE;

        private ScriptedPeer(PeerName name) {
            this.name = name;
        }

        ScriptedPeer then(Turn... turns) {
            script.addAll(List.of(turns));
            return this;
        }

        @Override
        public Usage usage() {
            int turns = replies.size();
            return new Usage(10L * turns, 5L * turns, 0.01 * turns).plus(failureUsage);
        }

        @Override
        public PeerName name() {
            return name;
        }

        @Override
        public Reply runTurn(String key, String prompt, Duration limit)
                throws PeerFailedException, InterruptedException {
            faults.point();
            if (failure != null) {
                failureUsage = usageOfFailure;
                throw failure;
            }
            var known = replies.get(key);
            if (known != null) {
                return known;
            }
            prompts.add(prompt);
            var next = prompts.size() <= script.size() ? script.get(prompts.size() - 1) : always;
            if (next == null) {
                throw new AssertionError(name + " received an unexpected prompt: " + prompt);
            }
            var reply = next.apply(prompt);
            replies.put(key, reply);
            faults.point();
            return reply;
        }
    }

    private final class FakeRepositories implements RunRepositories {
        @Override
        public String base() {
            return "c0";
        }

        @Override
        public String head() {
            return "c7";
        }

        @Override
        public SavedWork saveWork(int round, String message) {
            faults.point();
            messages.add(message);
            commit = edits;
            faults.point();
            return new SavedWork("c" + commit, commit + " files changed", "branch");
        }

        @Override
        public Proof runProof(String command, Duration limit) {
            faults.point();
            int code = proofs.get(Math.min(commit, proofs.size()) - 1);
            proofsRun++;
            return new Proof(code, "proof of c" + commit, false);
        }

        @Override
        public void checkOutForReview(String hash) {
            faults.point();
            checkedOut = Integer.parseInt(hash.substring(1));
        }

        @Override
        public String diff(String from, String to, int maxChars) {
            return "diff " + from + ".." + to;
        }
    }

    /** Answers questions from a prepared map. */
    private final class FakeArbiter implements Arbiter {
        @Override
        public Optional<Answer> decide(Disagreement disagreement, Duration limit) {
            faults.point();
            asked.add(disagreement);
            return Optional.ofNullable(answers.get(disagreement.number()));
        }

        @Override
        public void withdraw(int number) {
            faults.point();
            withdrawn.add(number);
        }
    }

    private final class FakeJournal implements Journal {
        @Override
        public void save(Progress progress) {
            faults.point();
            savedProgress = ProgressJson.write(progress).toBytes();
            faults.point();
        }

        @Override
        public void record(Event event) {
            events.add(event);
        }
    }
}
