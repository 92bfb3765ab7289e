package dev.ash.server.workspace;

/** Tells links that stay in their tree from others. */
final class LinkTarget {
    /**
     * Steps upwards count only before all others: after a name that is itself a link, they would
     * start from somewhere else.
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
