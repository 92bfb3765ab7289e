package dev.ash.server.pair;

import dev.ash.pair.PeerName;
import dev.ash.pair.archive.PeerAssignment;
import dev.ash.pair.archive.RunFiles;
import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.loop.RepositoryException;
import dev.ash.pair.loop.RunSpec;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mcp.LoopContext;
import dev.ash.pair.mcp.PairTools;
import dev.ash.pair.mcp.Role;
import dev.ash.pair.mcp.ToolUser;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunDirectory;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.egress.EgressSetup;
import dev.ash.server.project.Projects;
import dev.ash.server.session.SessionService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Creates, opens and ends the sessions of a run's peers, with their clones of the repository. */
final class PeerSessions {
    /** What engines call their mailbox by, from within their sandboxes. */
    private static final RawJson TOOLS =
            RawJson.of(
                    "{\"pair\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:%d%s\"}}"
                            .formatted(Limits.EGRESS_PORT, EgressSetup.TOOLS));

    private final SessionService sessions;
    private final PeerEndpoints endpoints;
    private final PairQuestions questions;
    private final PeerTitles titles;
    private final BundleTransfer transfer;
    private final ConfinedGit git;
    private final Projects projects;
    private final Path bundles;

    /** {@code bundles} is a directory of the server's for git bundles, with one for each run. */
    PeerSessions(
            SessionService sessions,
            PeerEndpoints endpoints,
            PairQuestions questions,
            PeerTitles titles,
            BundleTransfer transfer,
            ConfinedGit git,
            Projects projects,
            Path bundles) {
        this.sessions = sessions;
        this.endpoints = endpoints;
        this.questions = questions;
        this.titles = titles;
        this.transfer = transfer;
        this.git = git;
        this.projects = projects;
        this.bundles = bundles;
    }

    SessionService sessions() {
        return sessions;
    }

    PairQuestions questions() {
        return questions;
    }

    PeerTitles titles() {
        return titles;
    }

    record PeerAssignments(@Nullable PeerAssignment worker, @Nullable PeerAssignment reviewer) {}

    /** Refuses what no session could be opened with. */
    void check(TenantId tenant, PeerAssignment assignment) {
        sessions.check(tenant, PairRequest.session(assignment));
    }

    /** Those that have a session keep it; what it may spend is what the run may by now. */
    PeerAssignments assignment(RunFiles file) {
        return new PeerAssignments(
                seated(file, file.worker(), "worker", false),
                seated(file, file.reviewer(), "reviewer", true));
    }

    private @Nullable PeerAssignment seated(
            RunFiles file, @Nullable PeerAssignment assignment, String role, boolean readOnly) {
        if (assignment == null) {
            return null;
        }
        var setup = file.setup();
        var tenant = new TenantId(setup.tenant());
        var budget = setup.spec().budget();
        if (assignment.session() != null) {
            var id = new SessionId(assignment.session());
            sessions.setBudget(tenant, id, budget.costUsd(), budget.tokens());
            return assignment;
        }
        var request =
                PairRequest.session(assignment).toBuilder()
                        .mcpServers(TOOLS)
                        .maxTokens(budget.tokens())
                        .build();
        var key = setup.identity() + " " + role;
        var session = sessions.startPeer(tenant, request, budget.costUsd(), key, readOnly);
        return assignment.in(session.id());
    }

    /** The mailbox is there for the peers from now on. */
    void open(RunSpec spec, PeerAssignments assignments, Mailbox mailbox, LoopContext link) {
        var peers = Stream.of(spec.worker(), spec.reviewer()).flatMap(Stream::ofNullable).toList();
        session(assignments.worker())
                .ifPresent(
                        id -> openEndpoint(id, spec.worker(), peers, Role.WORKER, mailbox, link));
        session(assignments.reviewer())
                .ifPresent(
                        id ->
                                openEndpoint(
                                        id, spec.reviewer(), peers, Role.REVIEWER, mailbox, link));
    }

    private void openEndpoint(
            SessionId session,
            @Nullable PeerName peer,
            List<PeerName> peers,
            Role role,
            Mailbox mailbox,
            LoopContext link) {
        var user = ToolUser.of(Objects.requireNonNull(peer), peers, role);
        endpoints.open(session, new PairTools(mailbox, user, link));
    }

    void close(PeerAssignments assignments) {
        session(assignments.worker()).ifPresent(endpoints::close);
        session(assignments.reviewer()).ifPresent(endpoints::close);
    }

    SessionRepositories repositories(
            RunDirectory directory, RunSetup setup, PeerAssignments assignments) {
        var tenant = new TenantId(setup.tenant());
        return new SessionRepositories(
                setup,
                repository(tenant, setup.repository()),
                Bundles.open(bundles.resolve(PairId.of(directory))),
                session(assignments.worker())
                        .map(id -> new WorkerClone(sessions, transfer, tenant, id)),
                session(assignments.reviewer())
                        .map(id -> new ReviewerClone(sessions, git, tenant, id)));
    }

    private static Optional<SessionId> session(@Nullable PeerAssignment assignment) {
        return assignment == null
                ? Optional.empty()
                : Optional.ofNullable(assignment.session()).map(SessionId::new);
    }

    /** The repository that a directory belongs to. The roots are checked before the disk is. */
    Repository find(TenantId tenant, String path) throws IOException {
        return RepositoryLookup.of(projects.admitRepository(tenant, path));
    }

    /** The repository that a directory belongs to, if the server may use it. */
    UserRepository repository(TenantId tenant, String path) {
        try {
            var found = find(tenant, path);
            var top = projects.admitRepository(tenant, found.top().toString());
            if (!RepositoryLookup.asOwner(top, () -> Files.exists(found.top().resolve(".git")))) {
                throw ApiException.invalid(
                        "repository",
                        "\"%s\" is not in a git repository; `git init` and a first commit make it one"
                                .formatted(path));
            }
            var common = found.commonGitDirectory();
            return new UserRepository(
                    git,
                    top,
                    common.startsWith(top.path())
                            ? Optional.empty()
                            : Optional.of(projects.admitGitDirectory(tenant, common)));
        } catch (IOException e) {
            throw ApiException.invalid(
                    "repository", "\"%s\" cannot be read: %s".formatted(path, e.getMessage()));
        }
    }

    /** No bundle of the run is needed any more. */
    void forget(String pair) {
        Bundles.delete(bundles.resolve(pair));
    }

    /**
     * Ends the sessions of a run, and with them its clones, if all that they hold is in the user's
     * repository; tells why the worker's stays.
     */
    Optional<String> leave(RunFiles file) throws InterruptedException {
        var tenant = new TenantId(file.setup().tenant());
        session(file.reviewer()).ifPresent(id -> sessions.complete(tenant, id));
        var worker = session(file.worker());
        if (worker.isEmpty() || sessions.hasEnded(worker.get())) {
            return Optional.empty();
        }
        var clone = new WorkerClone(sessions, transfer, tenant, worker.get());
        var saved = Optional.ofNullable(file.state().progress().head()).orElse(file.setup().base());
        try {
            var unsaved = clone.unsaved(saved);
            if (!unsaved.isEmpty()) {
                return Optional.of(
                        "The worker's clone holds work that is on no branch of yours, so it stays: session %s, /workspace. Git there says:\n%s"
                                .formatted(worker.get(), unsaved));
            }
        } catch (RepositoryException e) {
            return Optional.of(
                    "Nobody can tell what the worker's clone holds, so it stays: session %s. %s"
                            .formatted(worker.get(), e.message()));
        }
        sessions.complete(tenant, worker.get());
        return Optional.empty();
    }
}
