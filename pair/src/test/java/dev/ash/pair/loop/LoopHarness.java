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
 * A workbench for loops: peers that say what a script says, a repository that is a counter, and a
 * real mailbox. It outlives the loops on it, as sessions and clones outlive a server.
 */
final class LoopHarness implements AutoCloseable {
    static final PeerName WORKER = new PeerName("codex");
    static final PeerName REVIEWER = new PeerName("claude");

    final Mailbox mailbox;
    final Scripted worker = new Scripted(WORKER);
    final Scripted reviewer = new Scripted(REVIEWER);
    final List<Journal.Event> notes = new ArrayList<>();
    final List<String> messages = new ArrayList<>();
    final List<Integer> proofs = new ArrayList<>();
    final RunControl control = new RunControl(false);
    final List<Disagreement> asked = new ArrayList<>();
    final List<Integer> withdrawn = new ArrayList<>();
    final Map<Integer, Arbiter.Answer> decided = new ConcurrentHashMap<>();
    int proofsRun;
    int presented;
    int commit;
    int edits;
    @Nullable Progress last;
    byte[] kept = new byte[0];
    Faults faults = () -> {};

    /** What a peer does when it is asked. */
    interface Turn {
        Reply apply(String prompt);
    }

    /** Where a crash may happen. */
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

    /** A turn that edits the repository, so that there is something to commit. */
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
                        new Repository(),
                        new LoopMailbox(mailbox),
                        new Kept(),
                        (_, _, _) -> {},
                        control,
                        new Person(),
                        Duration.ofMillis(1)));
    }

    List<Entry> messages() throws IOException {
        return mailbox.read(0, 10_000);
    }

    @Override
    public void close() throws IOException {
        mailbox.close();
    }

    /** Says each line of its script once, and the same again to the same key. */
    final class Scripted implements Peer {
        private final PeerName name;
        private final List<Turn> script = new ArrayList<>();
        private final Map<String, Reply> said = new ConcurrentHashMap<>();
        final List<String> prompts = new ArrayList<>();
        @Nullable Turn always;
        @Nullable PeerFailedException failure;
        Usage usesWhenItFails = Usage.NONE;
        private Usage failed = Usage.NONE;

        private Scripted(PeerName name) {
            this.name = name;
        }

        Scripted then(Turn... turns) {
            script.addAll(List.of(turns));
            return this;
        }

        @Override
        public Usage used() {
            int turns = said.size();
            return new Usage(10L * turns, 5L * turns, 0.01 * turns).plus(failed);
        }

        @Override
        public PeerName name() {
            return name;
        }

        @Override
        public Reply ask(String key, String prompt, Duration limit)
                throws PeerFailedException, InterruptedException {
            faults.point();
            if (failure != null) {
                failed = usesWhenItFails;
                throw failure;
            }
            var known = said.get(key);
            if (known != null) {
                return known;
            }
            prompts.add(prompt);
            var next = prompts.size() <= script.size() ? script.get(prompts.size() - 1) : always;
            if (next == null) {
                throw new AssertionError(name + " was not to be asked: " + prompt);
            }
            var reply = next.apply(prompt);
            said.put(key, reply);
            faults.point();
            return reply;
        }
    }

    private final class Repository implements RunRepositories {
        @Override
        public String base() {
            return "c0";
        }

        @Override
        public String head() {
            return "c7";
        }

        @Override
        public Kept keep(int round, String message) {
            faults.point();
            messages.add(message);
            commit = edits;
            faults.point();
            return new RunRepositories.Kept("c" + commit, commit + " files changed", "branch");
        }

        @Override
        public Proof prove(String command, Duration limit) {
            faults.point();
            int code = proofs.get(Math.min(commit, proofs.size()) - 1);
            proofsRun++;
            return new Proof(code, "proof of c" + commit, false);
        }

        @Override
        public void present(String wanted) {
            faults.point();
            presented = Integer.parseInt(wanted.substring(1));
        }

        @Override
        public String diff(String from, String to, int maxChars) {
            return "diff " + from + ".." + to;
        }
    }

    /** Whose answers are there before the questions are. */
    private final class Person implements Arbiter {
        @Override
        public Optional<Answer> decide(Disagreement disagreement, Duration limit) {
            faults.point();
            asked.add(disagreement);
            return Optional.ofNullable(decided.get(disagreement.number()));
        }

        @Override
        public void withdraw(int number) {
            faults.point();
            withdrawn.add(number);
        }
    }

    private final class Kept implements Journal {
        @Override
        public void keep(Progress progress) {
            faults.point();
            kept = ProgressJson.write(progress).toBytes();
            faults.point();
        }

        @Override
        public void note(Event event) {
            notes.add(event);
        }
    }
}
