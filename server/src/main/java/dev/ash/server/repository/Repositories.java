package dev.ash.server.repository;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.repository.FolderPage.Entry;
import dev.ash.server.session.file.SessionFiles;
import dev.ash.server.workspace.Child;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is in the folder that a session works in, and what git says of it. Paths may be absolute, as
 * the session's agent sees them, or begin at its working directory; none is followed out of it.
 * Throws {@link GitFailedException} and {@link BadPathException}, and for what concerns the session
 * {@link ApiException}.
 */
public final class Repositories {
    /** How many entries of a folder are listed at most. */
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
     * What is staged, or what is changed beyond that, with files that git does not know yet.
     *
     * @param wanted which files or folders; null for all
     */
    public List<FileDiff> diff(
            TenantId tenant, SessionId session, @Nullable List<String> wanted, boolean cached) {
        return git.diff(tenant, session, paths(tenant, session, wanted), cached);
    }

    /**
     * Commits what is staged, or these files as they are, and gives the commit's hash.
     *
     * <p>The commit's author is whom the repository's settings name; else the owner of the folder,
     * as the owner's own settings for git say; else {@code Ash}.
     *
     * @param wanted which files or folders; null for exactly what is staged
     */
    public String commit(
            TenantId tenant, SessionId session, String message, @Nullable List<String> wanted) {
        if (wanted != null && wanted.isEmpty()) {
            throw new GitFailedException(
                    "No files to commit were named; null stands for what is staged");
        }
        var user = files.gitUser(tenant, session);
        return git.commit(tenant, session, message, paths(tenant, session, wanted), user);
    }

    /** The branch, or the short hash of the commit; empty where there is no repository. */
    public Optional<String> branch(TenantId tenant, SessionId session) {
        return git.branch(tenant, session);
    }

    /** Entries of a folder; whose names begin with a dot, only if hidden ones are wanted. */
    public FolderPage list(
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
                                Comparator.comparing(Entry::isFolder)
                                        .reversed()
                                        .thenComparing(Entry::name))
                        .toList();
        var page = all.stream().skip(offset).limit(limit).toList();
        return new FolderPage(target.absolute(), page, all.size(), offset, limit);
    }

    /** Some lines of a file. */
    public TextPage read(TenantId tenant, SessionId session, String path, int offset, int limit) {
        requirePage(offset, limit);
        var target = WorkingPath.of(files.workingDirectory(tenant, session), path);
        return use(
                tenant,
                session,
                tree -> {
                    if (target.relative().isEmpty()) {
                        throw new BadPathException("\"%s\" is a folder".formatted(path));
                    }
                    try (var file = tree.open(target.relative(), MAX_FILE_BYTES)) {
                        return LineReader.read(
                                file.content(), target.absolute(), file.size(), offset, limit);
                    }
                });
    }

    private static Entry entry(WorkingPath folder, Child child) {
        var attributes = child.attributes();
        return new Entry(
                child.name(),
                (folder.absolute().equals("/") ? "" : folder.absolute()) + "/" + child.name(),
                attributes.isDirectory(),
                attributes.isDirectory() ? null : attributes.size(),
                attributes.lastModifiedTime().toInstant());
    }

    private @Nullable List<String> paths(
            TenantId tenant, SessionId session, @Nullable List<String> wanted) {
        var directory = files.workingDirectory(tenant, session);
        return wanted == null
                ? null
                : wanted.stream()
                        .map(path -> WorkingPath.of(directory, path).relative())
                        .map(path -> path.isEmpty() ? "." : path)
                        .toList();
    }

    private <T> T use(TenantId tenant, SessionId session, SessionFiles.Work<T> work) {
        try {
            return files.use(tenant, session, work);
        } catch (ApiException e) {
            boolean aboutPath =
                    e.code() == ErrorCode.FILE_NOT_FOUND || e.code() == ErrorCode.VALIDATION_FAILED;
            throw aboutPath ? new BadPathException(e.message()) : e;
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        } catch (Exception e) {
            throw new BadPathException("It could not be read: " + e.getMessage());
        }
    }

    private static void requirePage(int offset, int limit) {
        if (offset < 0 || limit < 1) {
            throw new BadPathException("offset must be at least 0, and limit at least 1");
        }
    }
}
