package dev.ash.server.session.file;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.project.GitUser;
import dev.ash.server.project.Project;
import dev.ash.server.session.lifecycle.Sessions;
import dev.ash.server.session.live.SessionCore;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.RunAs;
import java.nio.file.Path;
import java.util.Optional;

/** The files that a session works on, whether its sandbox runs or not. */
public interface SessionFiles {
    static SessionFiles of(Sessions sessions, SessionCore core) {
        return new LocalSessionFiles(sessions, core);
    }

    /** Something done with files. */
    interface Work<T> {
        T run(FileTree files) throws Exception;
    }

    /** Does something with the files of a project, with no other rights than its owner has. */
    static <T> T inProject(Project project, Work<T> work) throws Exception {
        var files = FileTree.withoutLinks(project.path());
        var owner = project.owner();
        return owner.isEmpty()
                ? work.run(files)
                : RunAs.call(owner.get().uid(), owner.get().gid(), () -> work.run(files));
    }

    /** Where the session's agent works, as it sees it. */
    Path workingDirectory(TenantId tenant, SessionId id);

    /** Whose name commits carry, unless the repository names somebody; empty if nobody's. */
    default Optional<GitUser> gitUser(TenantId tenant, SessionId id) {
        return Optional.empty();
    }

    /** Does something with them, with no other rights than the session's sandbox has. */
    <T> T use(TenantId tenant, SessionId id, Work<T> work) throws Exception;
}
