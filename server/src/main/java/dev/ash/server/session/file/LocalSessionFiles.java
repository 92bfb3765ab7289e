package dev.ash.server.session.file;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.server.project.GitUser;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.workspace.FileTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The files of sessions whose sandboxes are on this machine. */
final class LocalSessionFiles implements SessionFiles {
    private final Sessions sessions;
    private final SessionCore core;

    LocalSessionFiles(Sessions sessions, SessionCore core) {
        this.sessions = sessions;
        this.core = core;
    }

    @Override
    public Path workingDirectory(TenantId tenant, SessionId id) {
        return sessions.find(tenant, id).workingDirectory();
    }

    @Override
    public Optional<GitUser> gitUser(TenantId tenant, SessionId id) {
        var project = sessions.find(tenant, id).project();
        return project == null
                ? Optional.empty()
                : core.projects().gitUser(core.projects().readmit(tenant, project));
    }

    @Override
    public <T> T use(TenantId tenant, SessionId id, Work<T> work) throws Exception {
        var row = sessions.find(tenant, id);
        var project = row.project();
        if (project == null) {
            return work.run(workspace(row));
        }
        if (row.status() == SessionStatus.ENDED) {
            throw Sessions
                    .ended(); // the directory still exists, but no longer belongs to this session
        }
        return SessionFiles.inProject(core.projects().readmit(tenant, project), work);
    }

    private FileTree workspace(SessionRow row) {
        var workspace = core.runners().workspace(row.sandbox());
        if (!Files.isDirectory(workspace)) {
            throw new ApiException(
                    ErrorCode.FILE_NOT_FOUND, "No workspace available for this session");
        }
        return new FileTree(workspace, core.runners().ownerUid(row.sandbox()));
    }
}
