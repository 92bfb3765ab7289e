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

/** Gives access to the files of a session's working directory, with or without a sandbox. */
public interface SessionFiles {
    static SessionFiles of(Sessions sessions, SessionCore core) {
        return new LocalSessionFiles(sessions, core);
    }

    /** An operation on files. */
    interface Work<T> {
        T run(FileTree files) throws Exception;
    }

    /** Runs the operation on the files of a project, with the permissions of its owner. */
    static <T> T inProject(Project project, Work<T> work) throws Exception {
        var files = FileTree.withoutLinks(project.path());
        var owner = project.owner();
        return owner.isEmpty()
                ? work.run(files)
                : RunAs.call(owner.get().uid(), owner.get().gid(), () -> work.run(files));
    }

    /** Returns the working directory of the session's agent, as the agent sees it. */
    Path workingDirectory(TenantId tenant, SessionId id);

    /** Returns the author of commits where the repository does not configure one. */
    default Optional<GitUser> gitUser(TenantId tenant, SessionId id) {
        return Optional.empty();
    }

    /** Runs the operation on the files, with the permissions of the session's sandbox. */
    <T> T use(TenantId tenant, SessionId id, Work<T> work) throws Exception;
}
