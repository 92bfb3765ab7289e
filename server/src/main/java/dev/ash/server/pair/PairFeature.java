package dev.ash.server.pair;

import dev.ash.pair.run.RunDirectories;
import dev.ash.sandbox.ConfinedCommands;
import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.Approvals;
import dev.ash.server.http.Endpoint;
import dev.ash.server.project.Projects;
import dev.ash.server.session.SessionService;
import dev.ash.server.session.file.SessionFiles;
import dev.ash.server.store.Storage;
import java.util.List;
import java.util.stream.Stream;

/** Assembles pairs and mailboxes with their endpoints. */
public final class PairFeature implements AutoCloseable {
    private final Pairs pairs;
    private final Mailboxes mailboxes;
    private final PeerTitles titles = new PeerTitles();
    private final List<Endpoint> endpoints;

    /** The dependencies of pairs. {@code endpoints} are the tools of peers, by session. */
    public record Dependencies(
            Storage storage,
            Approvals approvals,
            ApprovalAnswers answers,
            WaitingRuns waiting,
            SessionService sessions,
            SessionFiles files,
            Projects projects,
            ConfinedCommands commands,
            PeerEndpoints endpoints) {}

    /** {@code scheme} is the scheme of mailbox URLs. */
    public PairFeature(Dependencies with, RunDirectories directories, String scheme) {
        var storage = with.storage();
        var questions = new PairQuestions(with.approvals(), with.answers(), with.waiting());
        var peers =
                new PeerSessions(
                        with.sessions(),
                        with.endpoints(),
                        questions,
                        titles,
                        new BundleTransfer(with.files()),
                        new ConfinedGit(with.commands()),
                        with.projects(),
                        storage.resolve("bundles"));
        this.pairs = new Pairs(directories, peers, storage.clock());
        this.mailboxes = new Mailboxes(directories, purpose -> secrets(storage, purpose));
        this.endpoints =
                Stream.of(
                                new PairRoutes(pairs).endpoints(),
                                new MailboxRoutes(mailboxes, with.projects(), scheme).endpoints())
                        .flatMap(List::stream)
                        .toList();
    }

    private static List<String> secrets(Storage storage, String purpose) {
        return storage.sealer().deriveAccepted(purpose, storage.clock().millis()).stream()
                .map(Mailboxes::encode)
                .toList();
    }

    public List<Endpoint> endpoints() {
        return endpoints;
    }

    /** Returns the titles of sessions that are peers of a run. */
    public PeerTitles titles() {
        return titles;
    }

    /** Resumes the runs of a previous server; called once this one accepts requests. */
    public void start() {
        pairs.resumeInterrupted();
    }

    /** Suspends the runs, which the next server resumes. */
    public void shutDown() {
        pairs.close();
    }

    @Override
    public void close() {
        mailboxes.close();
    }
}
