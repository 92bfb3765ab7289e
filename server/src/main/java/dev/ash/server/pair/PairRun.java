package dev.ash.server.pair;

import dev.ash.pair.archive.PeerAssignment;
import dev.ash.pair.archive.Report;
import dev.ash.pair.archive.RunFiles;
import dev.ash.pair.archive.RunLock;
import dev.ash.pair.loop.Arbiter;
import dev.ash.pair.loop.Disagreement;
import dev.ash.pair.loop.Journal;
import dev.ash.pair.loop.LoopMailbox;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.PairLoop;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.RepositoryException;
import dev.ash.pair.loop.RunControl;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Executes a run on its own thread until it is over or the server stops. */
final class PairRun {
    private static final System.Logger LOG = System.getLogger("ash.pair");
    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    private final RunDirectory directory;
    private final RunFiles files;
    private final RunLock lock;
    private final RunControl control;
    private final PeerSessions peers;
    private final Thread thread;

    PairRun(
            RunDirectory directory,
            RunFiles files,
            RunLock lock,
            PeerSessions peers,
            Runnable onDone) {
        this.directory = directory;
        this.files = files;
        this.lock = lock;
        this.peers = peers;
        this.control = new RunControl(files.state().paused());
        this.thread =
                Thread.ofVirtual()
                        .name("pair-" + PairId.of(directory))
                        .unstarted(
                                () -> {
                                    try {
                                        execute();
                                    } finally {
                                        onDone.run();
                                        files.transcript().end();
                                    }
                                });
    }

    void start() {
        thread.start();
    }

    RunFiles files() {
        return files;
    }

    void setPaused(boolean paused) {
        files.setPaused(paused);
        if (paused) {
            control.pause();
        } else {
            control.resume();
        }
    }

    void stop() {
        control.stop();
        thread.interrupt();
    }

    /** Decides a disagreement of the peers; {@code by} names the source of the decision. */
    void answer(Arbiter.Decision decision, @Nullable String comment, String by)
            throws InterruptedException {
        var progress = files.state().progress();
        if (progress.question() == null || progress.outcome() != null) {
            throw ApiException.invalid("decision", "the run has no open question");
        }
        arbiter().answer(Disagreement.of(files.setup().spec(), progress), decision, comment, by);
    }

    /** Asks in the session of the worker, or of the reviewer if there is no worker. */
    private RunArbiter arbiter() {
        var assignment =
                Optional.ofNullable(files.worker()).or(() -> Optional.ofNullable(files.reviewer()));
        var setup = files.setup();
        return new RunArbiter(
                peers.questions(),
                new TenantId(setup.tenant()),
                new SessionId(Objects.requireNonNull(assignment.orElseThrow().session())),
                PairId.of(directory),
                RunTitle.of(setup));
    }

    /** Suspends the run for a server shutdown; the next server resumes it. */
    void suspend() throws InterruptedException {
        thread.interrupt();
        thread.join(Duration.ofSeconds(10));
    }

    private void execute() {
        var progress = files.state().progress();
        try (lock;
                var mailbox = Mailbox.open(directory.path(), directory.runId())) {
            run(progress, mailbox);
            writeReport();
            if (progress.outcome() == Outcome.COMPLETED) {
                peers.endSessions(files)
                        .ifPresent(
                                reason ->
                                        files.record(new Journal.Event("state", 0, null, reason)));
                peers.deleteBundles(PairId.of(directory));
            }
        } catch (InterruptedException | IOException | RuntimeException e) {
            if (control.isStopped() && progress.outcome() == null) {
                cancel(progress); // the interrupt that stops a run can abort any file operation
            } else if (e instanceof InterruptedException) {
                LOG.log(System.Logger.Level.INFO, "Pair {0} is suspended", PairId.of(directory));
            } else {
                LOG.log(System.Logger.Level.ERROR, "Pair " + PairId.of(directory) + " failed", e);
            }
        }
    }

    private void cancel(Progress progress) {
        Thread.interrupted();
        try {
            end(progress, Outcome.CANCELLED, "Stopped by the user");
            writeReport();
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "Pair " + PairId.of(directory) + " failed", e);
        }
    }

    private void run(Progress progress, Mailbox mailbox) throws InterruptedException {
        var currentTurn = new CurrentTurn();
        var assignments = new PeerSessions.PeerAssignments(null, null);
        try {
            var setup = files.setup();
            assignments = peers.createSessions(files);
            files.assign(assignments.worker(), assignments.reviewer());
            peers.titles().set(setup, assignments.worker(), assignments.reviewer());
            peers.openEndpoints(setup.spec(), assignments, mailbox, currentTurn);
            var repositories = peers.repositories(directory, setup, assignments);
            repositories.open();
            var tenant = new TenantId(setup.tenant());
            var worker = peer(tenant, assignments.worker(), true);
            var reviewer = peer(tenant, assignments.reviewer(), false);
            new PairLoop(
                            setup.spec(),
                            progress,
                            new PairLoop.Parts(
                                    worker.orElse(null),
                                    reviewer.or(() -> worker).orElseThrow(),
                                    repositories,
                                    new LoopMailbox(mailbox),
                                    files,
                                    currentTurn,
                                    control,
                                    arbiter(),
                                    RETRY_DELAY))
                    .run();
        } catch (RepositoryException e) {
            end(progress, Outcome.AGENT_FAILED, e.message());
        } catch (ApiException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            end(progress, Outcome.AGENT_FAILED, e.message());
        } finally {
            peers.closeEndpoints(assignments);
        }
    }

    private Optional<SessionPeer> peer(
            TenantId tenant, @Nullable PeerAssignment assignment, boolean isWorker) {
        if (assignment == null) {
            return Optional.empty();
        }
        var spec = files.setup().spec();
        return Optional.of(
                new SessionPeer(
                        peers.sessions(),
                        tenant,
                        new SessionId(Objects.requireNonNull(assignment.session())),
                        Objects.requireNonNull(isWorker ? spec.worker() : spec.reviewer()),
                        files.setup().identity()));
    }

    private void end(Progress progress, Outcome outcome, String reason) {
        progress.end(outcome, reason);
        if (progress.question() != null) {
            arbiter().withdraw(progress.questions());
        }
        files.record(
                new Journal.Event("end", progress.round(), null, outcome.wire() + ": " + reason));
        files.save(progress);
    }

    private void writeReport() throws IOException {
        var text = Report.of(files.state());
        PrivateFiles.replace(
                directory.path().resolve(Report.FILE), text.getBytes(StandardCharsets.UTF_8));
    }
}
