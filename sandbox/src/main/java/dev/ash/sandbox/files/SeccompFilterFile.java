package dev.ash.sandbox.files;

import dev.ash.sandbox.seccomp.Filter;
import dev.ash.sandbox.seccomp.Processor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Optional;

/** Writes the system call filter to a file for bubblewrap. */
public final class SeccompFilterFile {
    /** Returns the file; empty for an unsupported processor architecture. */
    public static Optional<Path> prepare(DataLayout layout, Optional<Processor> processor)
            throws IOException {
        if (processor.isEmpty()) {
            return Optional.empty();
        }
        var file = layout.seccomp();
        var program = Filter.program(processor.get());
        if (Files.notExists(file) || !Arrays.equals(Files.readAllBytes(file), program)) {
            var draft = Files.createTempFile(layout.root(), ".seccomp", "");
            Files.write(draft, program);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return Optional.of(file);
    }

    private SeccompFilterFile() {}
}
