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

/** A run that this server drives, on a thread of its own, until it is over or the server stops. */
final class PairRun {
    private static final System.Logger LOG = System.getLogger("ash.pair");
    private static final Duration REST_AFTER_FAILURE = Duration.ofSeconds(5);

    private final RunDirectory directory;
    private final RunFiles file;
    private final RunLock lock;
    private final RunControl control;
    private final PeerSessions peers;
    private final Thread thread;

    PairRun(
            RunDirectory directory,
            RunFiles file,
            RunLock lock,
            PeerSessions peers,
            Runnable whenDone) {
        this.directory = directory;
        this.file = file;
        this.lock = lock;
        this.peers = peers;
        this.control = new RunControl(file.state().paused());
        this.thread =
                Thread.ofVirtual()
                        .name("pair-" + PairId.of(directory))
                        .unstarted(
                                () -> {
                                    try {
                                        drive();
                                    } finally {
                                        whenDone.run();
                                        file.transcript().end();
                                    }
                                });
    }

    void start() {
        thread.start();
    }

    RunFiles file() {
        return file;
    }

    void pause(boolean wanted) {
        file.paused(wanted);
        if (wanted) {
            control.pause();
        } else {
            control.resume();
        }
    }

    void stop() {
        control.stop();
        thread.interrupt();
    }

    /** Decides what the peers do not agree on; {@code by} names the door that it came through. */
    void answer(Arbiter.Decision decision, @Nullable String words, String by)
            throws InterruptedException {
        var progress = file.state().progress();
        if (progress.question() == null || progress.outcome() != null) {
            throw ApiException.invalid("decision", "there is no question to answer at the moment");
        }
        arbiter().answer(Disagreement.of(file.setup().spec(), progress), decision, words, by);
    }

    /** The person is asked where the worker works, or whoever is there. */
    private RunArbiter arbiter() {
        var assignment =
                Optional.ofNullable(file.worker()).or(() -> Optional.ofNullable(file.reviewer()));
        var setup = file.setup();
        return new RunArbiter(
                peers.questions(),
                new TenantId(setup.tenant()),
                new SessionId(Objects.requireNonNull(assignment.orElseThrow().session())),
                PairId.of(directory),
                RunTitle.of(setup));
    }

    /** The server stops; the run goes on when it is back. */
    void leave() throws InterruptedException {
        thread.interrupt();
        thread.join(Duration.ofSeconds(10));
    }

    private void drive() {
        var progress = file.state().progress();
        try (lock;
                var mailbox = Mailbox.open(directory.path(), directory.runId())) {
            run(progress, mailbox);
            report();
            if (progress.outcome() == Outcome.COMPLETED) {
                peers.leave(file)
                        .ifPresent(why -> file.note(new Journal.Event("state", 0, null, why)));
                peers.forget(PairId.of(directory));
            }
        } catch (InterruptedException | IOException | RuntimeException e) {
            if (control.isStopped() && progress.outcome() == null) {
                cancel(progress); // the interrupt that stops a run can break off any file operation
            } else if (e instanceof InterruptedException) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "pair {0} is left for later",
                        PairId.of(directory));
            } else {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "pair " + PairId.of(directory) + " broke off",
                        e);
            }
        }
    }

    private void cancel(Progress progress) {
        Thread.interrupted();
        try {
            end(progress, Outcome.CANCELLED, "The person stopped it");
            report();
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "pair " + PairId.of(directory) + " broke off", e);
        }
    }

    private void run(Progress progress, Mailbox mailbox) throws InterruptedException {
        var link = new CurrentTurn();
        var assignments = new PeerSessions.PeerAssignments(null, null);
        try {
            var setup = file.setup();
            assignments = peers.assignment(file);
            file.seated(assignments.worker(), assignments.reviewer());
            peers.titles().seated(setup, assignments.worker(), assignments.reviewer());
            peers.open(setup.spec(), assignments, mailbox, link);
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
                                    file,
                                    link,
                                    control,
                                    arbiter(),
                                    REST_AFTER_FAILURE))
                    .run();
        } catch (RepositoryException e) {
            end(progress, Outcome.AGENT_FAILED, e.message());
        } catch (ApiException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            end(progress, Outcome.AGENT_FAILED, e.message());
        } finally {
            peers.close(assignments);
        }
    }

    private Optional<SessionPeer> peer(
            TenantId tenant, @Nullable PeerAssignment assignment, boolean isWorker) {
        if (assignment == null) {
            return Optional.empty();
        }
        var spec = file.setup().spec();
        return Optional.of(
                new SessionPeer(
                        peers.sessions(),
                        tenant,
                        new SessionId(Objects.requireNonNull(assignment.session())),
                        Objects.requireNonNull(isWorker ? spec.worker() : spec.reviewer()),
                        file.setup().identity()));
    }

    private void end(Progress progress, Outcome outcome, String why) {
        progress.end(outcome, why);
        if (progress.question() != null) {
            arbiter().withdraw(progress.questions());
        }
        file.note(new Journal.Event("end", progress.round(), null, outcome.wire() + ": " + why));
        file.keep(progress);
    }

    private void report() throws IOException {
        var text = Report.of(file.state());
        PrivateFiles.replace(
                directory.path().resolve(Report.FILE), text.getBytes(StandardCharsets.UTF_8));
    }
}
