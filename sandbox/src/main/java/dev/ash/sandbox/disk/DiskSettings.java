package dev.ash.sandbox.disk;

import org.jspecify.annotations.Nullable;

/**
 * How disk space is limited.
 *
 * @param reserveMb how much stays free on the disk of the data directory; 0 for no reserve, absent
 *     for the default
 */
public record DiskSettings(Mode mode, @Nullable Integer reserveMb) {
    public static final DiskSettings DEFAULT = new DiskSettings(Mode.AUTO, null);

    /** How {@code diskMb} is enforced for new sandboxes. */
    public enum Mode {
        /** By an image where the host can mount one, otherwise by measuring. */
        AUTO,
        /** By an image; the server does not start where none can be mounted. */
        IMAGE,
        /** By measuring. */
        WATCH
    }
}
