package dev.ash.server.repository;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.repository.DirectoryPage.Entry;
import dev.ash.server.session.file.SessionFiles;
import dev.ash.server.workspace.DirectoryEntry;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads files and runs git in the working directory of a session. Paths are absolute, as the
 * session's agent sees them, or relative to the working directory; paths outside it are rejected.
 * Throws {@link GitFailedException} and {@link BadPathException}, and {@link ApiException} for
 * failures of the session itself.
 */
public final class Repositories {
    /** The maximum number of listed entries of a directory. */
    public static final int MAX_ENTRIES = 20_000;

    private static final long MAX_FILE_BYTES = 50L * 1024 * 1024;

    private final SessionFiles files;
    private final GitCommands git;

    public Repositories(SessionFiles files, Shell shell) {
        this.files = files;
        this.git = new GitCommands(new Git(shell));
    }

    public GitStatus status(TenantId tenant, SessionId session) {
        return git.status(tenant, session);
    }

    /**
     * Returns the staged changes ({@code cached}), or the unstaged changes with untracked files.
     *
     * @param paths files or directories; null for all
     */
    public List<FileDiff> diff(
            TenantId tenant, SessionId session, @Nullable List<String> paths, boolean cached) {
        return git.diff(tenant, session, relativePaths(tenant, session, paths), cached);
    }

    /**
     * Commits the staged changes or the given files, and returns the hash of the commit.
     *
     * <p>The author is the one configured in the repository; else the one in the git configuration
     * of the directory's owner; else {@code Ash}.
     *
     * @param paths files or directories; null for exactly the staged changes
     */
    public String commit(
            TenantId tenant, SessionId session, String message, @Nullable List<String> paths) {
        if (paths != null && paths.isEmpty()) {
            throw new GitFailedException(
                    "The list of files to commit is empty; use null to commit the staged changes");
        }
        var user = files.gitUser(tenant, session);
        return git.commit(tenant, session, message, relativePaths(tenant, session, paths), user);
    }

    /** Returns the branch or the short hash of the commit; empty without a repository. */
    public Optional<String> branch(TenantId tenant, SessionId session) {
        return git.branch(tenant, session);
    }

    /** Lists a page of a directory; {@code hidden} includes names that start with a dot. */
    public DirectoryPage list(
            TenantId tenant,
            SessionId session,
            String path,
            int offset,
            int limit,
            boolean hidden) {
        requirePage(offset, limit);
        var target = WorkingPath.of(files.workingDirectory(tenant, session), path);
        var all =
                use(tenant, session, tree -> tree.children(target.relative(), MAX_ENTRIES)).stream()
                        .filter(child -> hidden || !child.name().startsWith("."))
                        .map(child -> entry(target, child))
                        .sorted(
                                Comparator.comparing(Entry::isDirectory)
                                        .reversed()
                                        .thenComparing(Entry::name))
                        .toList();
        var page = all.stream().skip(offset).limit(limit).toList();
        return new DirectoryPage(target.absolute(), page, all.size(), offset, limit);
    }

    /** Reads a range of lines of a file. */
    public TextPage read(TenantId tenant, SessionId session, String path, int offset, int limit) {
        requirePage(offset, limit);
        var target = WorkingPath.of(files.workingDirectory(tenant, session), path);
        return use(
                tenant,
                session,
                tree -> {
                    if (target.relative().isEmpty()) {
                        throw new BadPathException("\"%s\" is a directory".formatted(path));
                    }
                    try (var file = tree.open(target.relative(), MAX_FILE_BYTES)) {
                        return LineReader.read(
                                file.content(), target.absolute(), file.size(), offset, limit);
                    }
                });
    }

    private static Entry entry(WorkingPath directory, DirectoryEntry child) {
        var attributes = child.attributes();
        return new Entry(
                child.name(),
                (directory.absolute().equals("/") ? "" : directory.absolute()) + "/" + child.name(),
                attributes.isDirectory(),
                attributes.isDirectory() ? null : attributes.size(),
                attributes.lastModifiedTime().toInstant());
    }

    private @Nullable List<String> relativePaths(
            TenantId tenant, SessionId session, @Nullable List<String> paths) {
        var directory = files.workingDirectory(tenant, session);
        return paths == null
                ? null
                : paths.stream()
                        .map(path -> WorkingPath.of(directory, path).relative())
                        .map(path -> path.isEmpty() ? "." : path)
                        .toList();
    }

    private <T> T use(TenantId tenant, SessionId session, SessionFiles.Work<T> work) {
        try {
            return files.use(tenant, session, work);
        } catch (ApiException e) {
            boolean isPathError =
                    e.code() == ErrorCode.FILE_NOT_FOUND || e.code() == ErrorCode.VALIDATION_FAILED;
            throw isPathError ? new BadPathException(e.message()) : e;
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        } catch (Exception e) {
            throw new BadPathException("Cannot read the path: " + e.getMessage());
        }
    }

    private static void requirePage(int offset, int limit) {
        if (offset < 0 || limit < 1) {
            throw new BadPathException("offset must be at least 0, and limit at least 1");
        }
    }
}
