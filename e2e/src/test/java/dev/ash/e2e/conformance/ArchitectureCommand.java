package dev.ash.e2e.conformance;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Programs;
import dev.ash.e2e.TestDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs {@code ash} as a process with its own home directory. */
record ArchitectureCommand(TestDirectory directory, Map<String, String> environment) {
    /** The exit code and output of a command. */
    record Result(int exit, String out, String err) {
        JsonNode json() {
            return new JsonMapper().readTree(out);
        }

        String all() {
            return out + err;
        }
    }

    /** Creates a runner for commands against this server. */
    static ArchitectureCommand of(AshServer server) {
        return new ArchitectureCommand(
                server.directory(),
                Map.of(
                        "ASH_SERVER_URL", server.api().base(),
                        "ASH_API_KEY", server.api().key()));
    }

    ArchitectureCommand with(Map<String, String> more) {
        var all = new HashMap<>(environment);
        all.putAll(more);
        return new ArchitectureCommand(directory, all);
    }

    Result run(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(Programs.cli());
        command.addAll(List.of(words));
        var out = Files.createTempFile(directory.path(), "out", "");
        var err = Files.createTempFile(directory.path(), "err", "");
        var builder = new ProcessBuilder(command).redirectOutput(out.toFile());
        var env = builder.environment();
        env.keySet().retainAll(List.of("PATH", "LANG"));
        env.put("HOME", home().toString());
        env.putAll(environment);
        var process = builder.redirectError(err.toFile()).directory(home().toFile()).start();
        process.getOutputStream().close();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("still running: " + List.of(words));
        }
        return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private Path home() throws IOException {
        return Files.createDirectories(directory.path().resolve("home"));
    }
}
