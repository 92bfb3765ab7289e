package dev.ash.sandbox.seccomp;

import java.util.Locale;

/** The action of the filter for a system call. */
enum Rule {
    ALLOW,
    /** Fails with {@code EPERM}. */
    DENY,
    /** Fails with {@code ENOSYS}, as on a kernel that does not implement the call. */
    ABSENT,
    CLONE_FLAGS,
    UNSHARE_FLAGS,
    IOCTL_REQUESTS,
    PERSONALITY_VALUES,
    SOCKET_FAMILIES;

    /** Parses the form used in the table, for example {@code clone-flags}. */
    static Rule named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
}
