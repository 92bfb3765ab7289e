package dev.ash.server.session;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.workspace.FileTree;
import java.nio.file.Path;

/** The files that a session works on, whether its sandbox runs or not. */
public interface SessionFiles {
    static SessionFiles of(Sessions sessions, SessionCore core) {
        return new LocalSessionFiles(sessions, core);
    }

    /** Something done with files. */
    interface Work<T> {
        T with(FileTree files) throws Exception;
    }

    /** Where the session's agent works, as it sees it. */
    Path directory(TenantId tenant, SessionId id);

    /** Does something with them, with no other rights than the session's sandbox has. */
    <T> T use(TenantId tenant, SessionId id, Work<T> work) throws Exception;
}
