package dev.ash.sandbox.disk;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the disk limits.
 *
 * @param reserveMb megabytes that stay free on the disk of the data directory; 0 for no reserve,
 *     absent for the default
 */
public record DiskSettings(Mode mode, @Nullable Integer reserveMb) {
    public static final DiskSettings DEFAULT = new DiskSettings(Mode.AUTO, null);

    /** How {@code diskMb} is enforced for new sandboxes. */
    public enum Mode {
        /** By an image if the host can mount it, otherwise by measuring. */
        AUTO,
        /** By an image; the server does not start if the host cannot mount it. */
        IMAGE,
        /** By measuring. */
        WATCH
    }
}
