package dev.ash.server.pair;

import dev.ash.pair.loop.WorkshopException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.launch.Mount;
import dev.ash.server.session.SessionDoor;
import java.nio.file.Path;
import java.util.List;

/**
 * The clone that the reviewer reads: its session's workspace, which its sandbox cannot write. Ash
 * moves it from the outside, so that it is at exactly the commit under review.
 */
final class ReviewerClone {
    private final SessionDoor sessions;
    private final Handover handover;
    private final GitWall git;
    private final TenantId tenant;
    private final SessionId session;

    ReviewerClone(
            SessionDoor sessions,
            Handover handover,
            GitWall git,
            TenantId tenant,
            SessionId session) {
        this.sessions = sessions;
        this.handover = handover;
        this.git = git;
        this.tenant = tenant;
        this.session = session;
    }

    void make(Path bundle, String holder, String branch, History history)
            throws WorkshopException, InterruptedException {
        if (!run("[ -e .git/ash-ready ] && echo ready || true").isBlank()) {
            return;
        }
        handover.in(tenant, session, bundle);
        run(Handover.clone(holder, branch, "reviewer", history));
    }

    /** {@code bundle} has the commits since the base; it is not needed for the base itself. */
    void move(Path bundle, String commit) throws WorkshopException, InterruptedException {
        handover.in(tenant, session, bundle);
        run(Handover.MOVE.formatted(commit));
    }

    private String run(String script) throws WorkshopException, InterruptedException {
        var folder = sessions.workspace(tenant, session);
        return git.run(
                Mount.writable(folder.path(), "/workspace"), List.of(), folder.owner(), script);
    }
}
