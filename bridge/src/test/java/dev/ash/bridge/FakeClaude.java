package dev.ash.bridge;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Installs the program {@code fake-claude.py} for a bridge, and reads its log. */
record FakeClaude(Path program, Path log) {
    static FakeClaude in(Path directory) throws IOException {
        var program = directory.resolve("claude");
        try (InputStream script =
                Objects.requireNonNull(FakeClaude.class.getResourceAsStream("/fake-claude.py"))) {
            Files.write(program, script.readAllBytes());
        }
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new FakeClaude(program, directory.resolve("claude.log"));
    }

    Map<String, String> environment() {
        var environment = new HashMap<String, String>();
        environment.put("ASH_ENGINE", "claude");
        environment.put("CLAUDE_CODE_EXECUTABLE", program.toString());
        environment.put("FAKE_LOG", log.toString());
        return environment;
    }

    private List<RawClient.Event> entries() throws IOException {
        return Files.readAllLines(log).stream().map(RawClient.Event::new).toList();
    }

    /** Returns the arguments of every start. */
    List<List<String>> starts() throws IOException {
        return entries().stream()
                .filter(entry -> entry.line().contains("\"arguments\""))
                .map(FakeClaude::arguments)
                .toList();
    }

    /** Returns the lines that were written to its stdin. */
    List<RawClient.Event> read() throws IOException {
        return entries().stream().filter(entry -> !entry.line().contains("\"arguments\"")).toList();
    }

    long pid() throws IOException {
        var starts =
                entries().stream().filter(entry -> entry.line().contains("\"arguments\"")).toList();
        return Long.parseLong(starts.getLast().json().raw("pid").orElseThrow().toString());
    }

    private static List<String> arguments(RawClient.Event entry) {
        try {
            return entry.json().strings("arguments");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
