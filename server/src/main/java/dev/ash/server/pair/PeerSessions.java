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
    /** The MCP configuration with which engines reach the mailbox from their sandboxes. */
    private static final RawJson TOOLS =
            RawJson.of(
                    "{\"pair\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:%d%s\"}}"
                            .formatted(Limits.EGRESS_PORT, EgressSetup.TOOLS_PATH));

    private final SessionService sessions;
    private final PeerEndpoints endpoints;
    private final PairQuestions questions;
    private final PeerTitles titles;
    private final BundleTransfer transfer;
    private final ConfinedGit git;
    private final Projects projects;
    private final Path bundles;

    /**
     * {@code bundles} is a directory of the server with a subdirectory of git bundles for each run.
     */
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

    /** The assignments of both peers; null for a peer that the mode of the run does not have. */
    record PeerAssignments(@Nullable PeerAssignment worker, @Nullable PeerAssignment reviewer) {}

    /** Rejects an assignment with which no session could be created. */
    void check(TenantId tenant, PeerAssignment assignment) {
        sessions.check(tenant, PairRequest.session(assignment));
    }

    /** Creates missing sessions, and sets the current budget of the run for existing ones. */
    PeerAssignments createSessions(RunFiles files) {
        return new PeerAssignments(
                createSession(files, files.worker(), "worker", false),
                createSession(files, files.reviewer(), "reviewer", true));
    }

    private @Nullable PeerAssignment createSession(
            RunFiles files, @Nullable PeerAssignment assignment, String role, boolean readOnly) {
        if (assignment == null) {
            return null;
        }
        var setup = files.setup();
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
        return assignment.withSession(session.id());
    }

    /** Opens the mailbox tools of the peers. */
    void openEndpoints(
            RunSpec spec, PeerAssignments assignments, Mailbox mailbox, LoopContext loop) {
        var peers = Stream.of(spec.worker(), spec.reviewer()).flatMap(Stream::ofNullable).toList();
        session(assignments.worker())
                .ifPresent(
                        id -> openEndpoint(id, spec.worker(), peers, Role.WORKER, mailbox, loop));
        session(assignments.reviewer())
                .ifPresent(
                        id ->
                                openEndpoint(
                                        id, spec.reviewer(), peers, Role.REVIEWER, mailbox, loop));
    }

    private void openEndpoint(
            SessionId session,
            @Nullable PeerName peer,
            List<PeerName> peers,
            Role role,
            Mailbox mailbox,
            LoopContext loop) {
        var user = ToolUser.of(Objects.requireNonNull(peer), peers, role);
        endpoints.open(session, new PairTools(mailbox, user, loop));
    }

    void closeEndpoints(PeerAssignments assignments) {
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

    /** Finds the repository of a directory. Checks the roots before accessing the disk. */
    Repository find(TenantId tenant, String path) throws IOException {
        return RepositoryLookup.of(projects.admitRepository(tenant, path));
    }

    /** Returns the repository of a directory; rejects one that the server may not use. */
    UserRepository repository(TenantId tenant, String path) {
        try {
            var found = find(tenant, path);
            var top = projects.admitRepository(tenant, found.top().toString());
            if (!RepositoryLookup.asOwner(top, () -> Files.exists(found.top().resolve(".git")))) {
                throw ApiException.invalid(
                        "repository",
                        "\"%s\" is not in a git repository; create one with `git init` and a first commit"
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

    /** Deletes the git bundles of a run. */
    void deleteBundles(String pair) {
        Bundles.delete(bundles.resolve(pair));
    }

    /**
     * Ends the sessions of a run, which removes its clones. Keeps the worker's session if its clone
     * contains work that is not in the user's repository, and returns the reason.
     */
    Optional<String> endSessions(RunFiles files) throws InterruptedException {
        var tenant = new TenantId(files.setup().tenant());
        session(files.reviewer()).ifPresent(id -> sessions.complete(tenant, id));
        var worker = session(files.worker());
        if (worker.isEmpty() || sessions.hasEnded(worker.get())) {
            return Optional.empty();
        }
        var clone = new WorkerClone(sessions, transfer, tenant, worker.get());
        var saved =
                Optional.ofNullable(files.state().progress().head()).orElse(files.setup().base());
        try {
            var unsaved = clone.unsavedWork(saved);
            if (!unsaved.isEmpty()) {
                return Optional.of(
                        "The worker's clone contains work that is on none of your branches, so it was kept: session %s, /workspace. Output of git:\n%s"
                                .formatted(worker.get(), unsaved));
            }
        } catch (RepositoryException e) {
            return Optional.of(
                    "The worker's clone cannot be checked for unsaved work, so it was kept: session %s. %s"
                            .formatted(worker.get(), e.message()));
        }
        sessions.complete(tenant, worker.get());
        return Optional.empty();
    }
}
