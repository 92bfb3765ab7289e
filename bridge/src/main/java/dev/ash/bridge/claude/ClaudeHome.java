package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Reads and writes the CLI's own files in the sandbox's home. */
final class ClaudeHome {
    private static final String TRUSTED = "hasTrustDialogAccepted";

    private final Path config;
    private final Path projects;
    private final Path state;
    private final Path workspace;

    ClaudeHome(EngineSetup setup) {
        var moved = setup.environment().getOrDefault("CLAUDE_CONFIG_DIR", "");
        var home = setup.directories().home();
        this.config = (moved.isEmpty() ? home : Path.of(moved)).resolve(".claude.json");
        this.projects =
                (moved.isEmpty() ? home.resolve(".claude") : Path.of(moved)).resolve("projects");
        this.state = setup.directories().state();
        this.workspace = setup.directories().workspace();
    }

    /** Returns whether the CLI has stored a transcript of this conversation. */
    boolean hasTranscript(String engineSessionId) {
        if (!Files.isDirectory(projects)) {
            return false;
        }
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(projects)) {
            for (var directory : directories) {
                if (Files.exists(directory.resolve(engineSessionId + ".jsonl"))) {
                    return true;
                }
            }
        } catch (IOException e) {
            return false;
        }
        return false;
    }

    /**
     * Marks the workspace as trusted, so that the rules in its settings apply: the CLI ignores a
     * project's {@code permissions.allow} until its trust dialog is accepted, which is not shown
     * here.
     */
    void trustWorkspace() throws EngineException {
        try {
            var all = Files.exists(config) ? read(config) : JsonObject.parse(RawJson.EMPTY_OBJECT);
            var known = all.object("projects").orElse(JsonObject.parse(RawJson.EMPTY_OBJECT));
            var project =
                    known.object(workspace.toString())
                            .orElse(JsonObject.parse(RawJson.EMPTY_OBJECT));
            if (!project.isTrue(TRUSTED)) {
                var trusted = with(project, TRUSTED, RawJson.of("true"));
                replace(config, with(all, "projects", with(known, workspace.toString(), trusted)));
            }
        } catch (IOException e) {
            throw new EngineException("Cannot mark the workspace as trusted: " + e);
        }
    }

    /** Writes the session's MCP servers to a file, because their environment may have secrets. */
    Path writeMcpConfig(RawJson servers) throws EngineException {
        var file = state.resolve("mcp.json");
        try {
            Files.createDirectories(state);
            replace(file, JsonWriter.object().put("mcpServers", servers).end());
            return file;
        } catch (IOException e) {
            throw new EngineException("Cannot write the MCP servers to " + file + ": " + e);
        }
    }

    private static JsonObject read(Path file) throws IOException {
        return JsonObject.parse(new RawJson(Files.readAllBytes(file)));
    }

    private static RawJson with(JsonObject object, String name, RawJson value) {
        var json = JsonWriter.object();
        for (var other : object.names()) {
            if (!other.equals(name)) {
                json.put(other, object.raw(other).orElse(RawJson.NULL));
            }
        }
        return json.put(name, value).end();
    }

    private static void replace(Path file, RawJson content) throws IOException {
        var temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.write(temporary, content.toBytes());
        Files.move(
                temporary,
                file,
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }
}
