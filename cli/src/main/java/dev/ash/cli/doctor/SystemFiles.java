package dev.ash.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads {@code /proc}, {@code /sys} and {@code /dev}, below a root that tests can replace. */
record SystemFiles(Path root) {
    private static final int MAX_BYTES = 1024 * 1024;

    Path path(String absolute) {
        return root.resolve(absolute.substring(1));
    }

    boolean exists(String absolute) {
        return Files.exists(path(absolute));
    }

    /** Returns the content; empty if the file does not exist or is not readable. */
    Optional<String> read(String absolute) {
        try (var in = Files.newInputStream(path(absolute))) {
            return Optional.of(
                    new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns a kernel setting such as {@code kernel.yama.ptrace_scope}. */
    Optional<String> sysctl(String name) {
        return read("/proc/sys/" + name.replace('.', '/'));
    }

    /** Returns a numeric kernel setting; 0 if it is absent or not a number. */
    int sysctlNumber(String name) {
        try {
            return Integer.parseInt(sysctl(name).orElse("0"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
