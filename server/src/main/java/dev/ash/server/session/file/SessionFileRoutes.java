package dev.ash.server.session.file;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.AgentApi.FileUpload;
import dev.ash.protocol.rest.FileContent;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.Handler;
import dev.ash.server.http.Spool;
import dev.ash.server.identity.Scope;
import dev.ash.server.workspace.FileResponses;
import dev.ash.server.workspace.FileTree;
import dev.ash.server.workspace.SkipRules;
import dev.ash.server.workspace.Tarball;
import dev.ash.server.workspace.Uploads;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The endpoints for the files of a session's workspace, whether its sandbox runs or not. */
public final class SessionFileRoutes {
    private static final String SESSION = "/api/sessions/{id}";
    private static final String SOURCE = "sandbox";
    private static final int MAX_FILES = 500;

    private final SessionFiles files;

    public SessionFileRoutes(SessionFiles files) {
        this.files = files;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get(SESSION + "/files")
                        .summary("List the files of a session's workspace")
                        .query("includeHidden", "boolean", "false omits caches (true)")
                        .returns(200, SessionApi.Files.class)
                        .handledBy(withFiles(this::list)),
                Endpoint.get(SESSION + "/files/{path*}")
                        .summary("Read a file of a session's workspace")
                        .choice("format", List.of("raw", "json"), "raw (the default) or json")
                        .returns(200, FileContent.class)
                        .handledBy(withFiles(this::read)),
                Endpoint.post(SESSION + "/files")
                        .scope(Scope.RUN)
                        .summary("Write files into a session's workspace")
                        .accepts(SessionApi.WriteFiles.class)
                        .maxBodyBytes(Limits.MAX_UPLOAD_BODY_BYTES)
                        .returns(200, SessionApi.WrittenFiles.class)
                        .handledBy(withFiles(this::write)),
                Endpoint.delete(SESSION + "/files/{path*}")
                        .scope(Scope.RUN)
                        .summary("Delete a file of a session's workspace")
                        .returns(200, SessionApi.DeletedFile.class)
                        .handledBy(withFiles(this::delete)),
                Endpoint.get(SESSION + "/workspace")
                        .summary("Download a session's workspace as tar.gz")
                        .returns(200, byte[].class)
                        .handledBy(withFiles(this::download)),
                Endpoint.post(SESSION + "/workspace")
                        .scope(Scope.RUN)
                        .summary("Unpack a tar.gz into a session's workspace")
                        .accepts(SessionApi.UploadWorkspace.class)
                        .maxBodyBytes(Limits.MAX_UPLOAD_BODY_BYTES)
                        .returns(200, SessionApi.Note.class)
                        .handledBy(withFiles(this::upload)));
    }

    private interface FileHandler {
        void handle(Exchange exchange, FileTree tree) throws IOException;
    }

    private Handler withFiles(FileHandler handler) {
        return exchange ->
                files.use(
                        exchange.caller().tenant(),
                        exchange.session(),
                        tree -> {
                            handler.handle(exchange, tree);
                            return tree;
                        });
    }

    private void list(Exchange exchange, FileTree tree) {
        var rules =
                switch (exchange.query("includeHidden").orElse("true")) {
                    case "true" -> SkipRules.WORKSPACE;
                    case "false" -> SkipRules.WITHOUT_CACHES;
                    default -> throw ApiException.invalid("includeHidden", "must be true or false");
                };
        exchange.respond(200, new SessionApi.Files(tree.list(rules).files(), SOURCE));
    }

    private void read(Exchange exchange, FileTree tree) throws IOException {
        FileResponses.read(exchange, tree, FileResponses.Form.of(exchange, "raw"), SOURCE);
    }

    private void write(Exchange exchange, FileTree tree) {
        try (var spool = new Spool()) {
            var request = exchange.body(SessionApi.WriteFiles.class, spool, Uploads.CONTENTS);
            var files = request.files();
            if (files.isEmpty() || files.size() > MAX_FILES) {
                throw ApiException.invalid("files", "must have 1 to " + MAX_FILES + " entries");
            }
            var target = request.targetPath();
            var prefix = target == null || target.equals(".") ? "" : target + "/";
            var written = files.stream().map(file -> writeFile(tree, file, prefix, spool)).toList();
            exchange.respond(200, new SessionApi.WrittenFiles(written));
        }
    }

    /** Writes one file. A failure is reported in its entry and does not affect other files. */
    private static SessionApi.WrittenFile writeFile(
            FileTree tree, FileUpload file, String prefix, Spool spool) {
        var path = prefix + file.path();
        try {
            return new SessionApi.WrittenFile(
                    path, true, Uploads.write(tree, file, path, spool), null);
        } catch (ApiException e) {
            if (e.code() == ErrorCode.DISK_FULL) {
                throw e;
            }
            return new SessionApi.WrittenFile(path, false, null, e.message());
        }
    }

    private void delete(Exchange exchange, FileTree tree) {
        tree.delete(exchange.path("path"));
        exchange.respond(200, new SessionApi.DeletedFile(exchange.path("path"), true));
    }

    private void download(Exchange exchange, FileTree tree) throws IOException {
        // Reads the whole tree first: its size must be checked before the response begins.
        var tarball = Tarball.of(tree, SkipRules.ARCHIVE);
        var headers =
                Map.of(
                        "Content-Type",
                        "application/gzip",
                        "Content-Disposition",
                        FileResponses.attachment("workspace.tar.gz"),
                        "X-Ash-Source",
                        SOURCE);
        try (var out = exchange.stream(200, headers)) {
            tarball.writeTo(out);
        }
    }

    private void upload(Exchange exchange, FileTree tree) {
        try (var spool = new Spool()) {
            var request = exchange.body(SessionApi.UploadWorkspace.class, spool, Set.of("bundle"));
            int count =
                    Tarball.unpack(
                            () -> Uploads.decoded("bundle", spool.open(request.bundle())), tree);
            exchange.respond(200, new SessionApi.Note("Unpacked " + count + " entries"));
        }
    }
}
