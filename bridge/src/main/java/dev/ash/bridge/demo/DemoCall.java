package dev.ash.bridge.demo;

import dev.ash.bridge.engine.ClaudeMessageFormat;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.exec.Shell;
import dev.ash.bridge.exec.ShellResult;
import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The tool call of a turn: a real shell command in the workspace. */
record DemoCall(String id, RawJson input) {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final String FILE = "demo-call.json";

    /** The result of the tool, and a message about it for the user. */
    record Outcome(ShellResult result, String message) {}

    /** Returns a call of the command in the prompt, or of {@code ls -la}. */
    static DemoCall of(DemoPrompt prompt) {
        var requested = prompt.command();
        var input = JsonWriter.object().put("command", requested.orElse("ls -la"));
        return new DemoCall(
                "toolu_demo_" + ClaudeMessageFormat.uuid().replace("-", ""),
                input.put("description", requested.isPresent() ? "As asked" : "List the workspace")
                        .end());
    }

    Approval approval() {
        return new Approval(id, Approval.Kind.TOOL, "Bash", input, id, text(input, "description"));
    }

    Outcome run(EngineSetup setup, @Nullable RawJson changed) {
        var command = text(changed == null ? input : changed, "command");
        if (command == null) {
            return denied("the modified input has no command");
        }
        var result = run(setup, command);
        return new Outcome(
                result,
                "The command `"
                        + command
                        + "` exited with code "
                        + result.exitCode()
                        + " and printed "
                        + result.stdout().lines().count()
                        + " lines. With an API key and the Claude Code program, the same session"
                        + " would be answered by Claude.");
    }

    private static ShellResult run(EngineSetup setup, String command) {
        try (var shell =
                Shell.start(command, setup.directories().workspace(), setup.environment())) {
            return shell.await(TIMEOUT);
        } catch (IOException e) {
            return failed("The tool failed: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return failed("The tool was stopped");
        }
    }

    Outcome denied(@Nullable String reason) {
        var message =
                "The command `"
                        + text(input, "command")
                        + "` was not approved"
                        + (reason == null ? "" : ": " + reason)
                        + ". So I did not run it.";
        return new Outcome(failed(message), message);
    }

    private static ShellResult failed(String message) {
        return new ShellResult(ShellResult.NOT_STARTED, "", message);
    }

    /** Saves the call for the next bridge with this home. */
    void save(Path state) throws IOException {
        Files.createDirectories(state);
        var json = JsonWriter.object().put("id", id).put("input", input).end();
        Files.write(state.resolve(FILE), json.toBytes());
    }

    static Optional<DemoCall> load(Path state) {
        try {
            var json = JsonObject.parse(new RawJson(Files.readAllBytes(state.resolve(FILE))));
            return Optional.of(
                    new DemoCall(
                            json.requireString("id"),
                            json.raw("input").orElse(RawJson.EMPTY_OBJECT)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    void delete(Path state) {
        try {
            Files.deleteIfExists(state.resolve(FILE));
        } catch (IOException e) {
            System.err.println("bridge: cannot delete " + state.resolve(FILE) + ": " + e);
        }
    }

    private static @Nullable String text(RawJson object, String name) {
        try {
            return JsonObject.parse(object).string(name).orElse(null);
        } catch (MalformedJsonException e) {
            return null;
        }
    }
}
