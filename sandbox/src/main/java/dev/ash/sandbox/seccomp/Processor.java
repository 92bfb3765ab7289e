package dev.ash.sandbox.seccomp;

import java.util.Optional;

/** A kind of processor whose numbers of system calls we know. */
public enum Processor {
    X86_64(0xC000_003E),
    AARCH64(0xC000_00B7);

    /** What the kernel calls the calling convention ({@code AUDIT_ARCH_…}). */
    final int convention;

    Processor(int convention) {
        this.convention = convention;
    }

    /** That of this machine, by the name that Java has for it. */
    public static Optional<Processor> named(String osArch) {
        return switch (osArch) {
            case "amd64", "x86_64" -> Optional.of(X86_64);
            case "aarch64" -> Optional.of(AARCH64);
            default -> Optional.empty();
        };
    }
}
