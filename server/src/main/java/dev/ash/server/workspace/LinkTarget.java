package dev.ash.server.workspace;

/** Checks by its text whether a symbolic link of an uploaded or copied tree stays inside it. */
final class LinkTarget {
    /**
     * Accepts {@code ..} only at the beginning of the target: after a name that is itself a link it
     * would refer to another directory.
     */
    static boolean staysInside(String path, String target) {
        if (target.isEmpty() || target.startsWith("/") || target.indexOf('\0') >= 0) {
            return false;
        }
        long depth = path.chars().filter(c -> c == '/').count();
        boolean down = false;
        for (var part : target.split("/", -1)) {
            boolean up = part.equals("..");
            if (up && (down || --depth < 0)) {
                return false;
            }
            down |= !up && !part.isEmpty() && !part.equals(".");
        }
        return true;
    }

    private LinkTarget() {}
}
