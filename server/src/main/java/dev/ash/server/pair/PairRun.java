package dev.ash.server.pair;

import dev.ash.pair.archive.Report;
import dev.ash.pair.archive.RunFile;
import dev.ash.pair.archive.RunLock;
import dev.ash.pair.archive.Seat;
import dev.ash.pair.loop.Arbiter;
import dev.ash.pair.loop.Disagreement;
import dev.ash.pair.loop.Journal;
import dev.ash.pair.loop.Mail;
import dev.ash.pair.loop.Outcome;
import dev.ash.pair.loop.PairLoop;
import dev.ash.pair.loop.Progress;
import dev.ash.pair.loop.Steering;
import dev.ash.pair.loop.WorkshopException;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.pair.run.RunFolder;
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

    private final RunFolder folder;
    private final RunFile file;
    private final RunLock lock;
    private final Steering steering;
    private final PeerSessions peers;
    private final Thread thread;

    PairRun(RunFolder folder, RunFile file, RunLock lock, PeerSessions peers, Runnable whenDone) {
        this.folder = folder;
        this.file = file;
        this.lock = lock;
        this.peers = peers;
        this.steering = new Steering(file.state().paused());
        this.thread =
                Thread.ofVirtual()
                        .name("pair-" + PairId.of(folder))
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

    RunFile file() {
        return file;
    }

    void pause(boolean wanted) {
        file.paused(wanted);
        if (wanted) {
            steering.pause();
        } else {
            steering.goOn();
        }
    }

    void stop() {
        steering.stop();
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
        var seat =
                Optional.ofNullable(file.worker()).or(() -> Optional.ofNullable(file.reviewer()));
        var setup = file.setup();
        return new RunArbiter(
                peers.questions(),
                new TenantId(setup.tenant()),
                new SessionId(Objects.requireNonNull(seat.orElseThrow().session())),
                PairId.of(folder),
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
                var mailbox = Mailbox.open(folder.path(), folder.runId())) {
            run(progress, mailbox);
            report();
            if (progress.outcome() == Outcome.COMPLETED) {
                peers.leave(file)
                        .ifPresent(why -> file.note(new Journal.Event("state", 0, null, why)));
                peers.forget(PairId.of(folder));
            }
        } catch (InterruptedException | IOException | RuntimeException e) {
            if (steering.isStopped() && progress.outcome() == null) {
                cancel(progress); // the interrupt that stops a run can break off any file operation
            } else if (e instanceof InterruptedException) {
                LOG.log(System.Logger.Level.INFO, "pair {0} is left for later", PairId.of(folder));
            } else {
                LOG.log(System.Logger.Level.ERROR, "pair " + PairId.of(folder) + " broke off", e);
            }
        }
    }

    private void cancel(Progress progress) {
        Thread.interrupted();
        try {
            end(progress, Outcome.CANCELLED, "The person stopped it");
            report();
        } catch (IOException | RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "pair " + PairId.of(folder) + " broke off", e);
        }
    }

    private void run(Progress progress, Mailbox mailbox) throws InterruptedException {
        var link = new RunLink();
        var seats = new PeerSessions.Seats(null, null);
        try {
            var setup = file.setup();
            seats = peers.seat(file);
            file.seated(seats.worker(), seats.reviewer());
            peers.titles().seated(setup, seats.worker(), seats.reviewer());
            peers.open(setup.spec(), seats, mailbox, link);
            var workshop = peers.workshop(folder, setup, seats);
            workshop.open();
            var tenant = new TenantId(setup.tenant());
            var worker = peer(tenant, seats.worker(), true);
            var reviewer = peer(tenant, seats.reviewer(), false);
            new PairLoop(
                            setup.spec(),
                            progress,
                            new PairLoop.Parts(
                                    worker.orElse(null),
                                    reviewer.or(() -> worker).orElseThrow(),
                                    workshop,
                                    new Mail(mailbox),
                                    file,
                                    link,
                                    steering,
                                    arbiter(),
                                    REST_AFTER_FAILURE))
                    .run();
        } catch (WorkshopException e) {
            end(progress, Outcome.AGENT_FAILED, e.sentence());
        } catch (ApiException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            end(progress, Outcome.AGENT_FAILED, e.sentence());
        } finally {
            peers.close(seats);
        }
    }

    private Optional<SessionPeer> peer(TenantId tenant, @Nullable Seat seat, boolean isWorker) {
        if (seat == null) {
            return Optional.empty();
        }
        var spec = file.setup().spec();
        return Optional.of(
                new SessionPeer(
                        peers.sessions(),
                        tenant,
                        new SessionId(Objects.requireNonNull(seat.session())),
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
                folder.path().resolve(Report.FILE), text.getBytes(StandardCharsets.UTF_8));
    }
}
