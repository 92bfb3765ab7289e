package dev.ash.sandbox.seccomp;

import java.util.Optional;

/** A processor architecture whose system call numbers are known. */
public enum Processor {
    X86_64(0xC000_003E),
    AARCH64(0xC000_00B7);

    /** The kernel's id of the calling convention ({@code AUDIT_ARCH_…}). */
    final int convention;

    Processor(int convention) {
        this.convention = convention;
    }

    /** Returns the architecture for a value of {@code os.arch}. */
    public static Optional<Processor> named(String osArch) {
        return switch (osArch) {
            case "amd64", "x86_64" -> Optional.of(X86_64);
            case "aarch64" -> Optional.of(AARCH64);
            default -> Optional.empty();
        };
    }
}
