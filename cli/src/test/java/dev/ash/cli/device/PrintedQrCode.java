package dev.ash.cli.device;

import io.nayuki.qrcodegen.QrCode;
import java.util.List;

/** Decodes printed half blocks to dark and light modules. */
record PrintedQrCode(boolean[][] dark) {
    private static final String FINDER =
            """
            #######
            #.....#
            #.###.#
            #.###.#
            #.###.#
            #.....#
            #######
            """;

    static PrintedQrCode read(List<String> lines) {
        int width = lines.getFirst().length();
        var dark = new boolean[lines.size() * 2][width];
        for (int row = 0; row < lines.size(); row++) {
            var line = lines.get(row);
            if (line.length() != width) {
                throw new AssertionError("line " + row + " has " + line.length() + " characters");
            }
            for (int x = 0; x < width; x++) {
                int halves = " ▀▄█".indexOf(line.charAt(x));
                if (halves < 0) {
                    throw new AssertionError("line " + row + " has a " + line.charAt(x));
                }
                dark[2 * row][x] = (halves & 1) != 0;
                dark[2 * row + 1][x] = (halves & 2) != 0;
            }
        }
        return new PrintedQrCode(dark);
    }

    int width() {
        return dark[0].length;
    }

    /** Returns the width of the margin; a finder pattern is in the corner. */
    int margin() {
        int margin = 0;
        while (!dark[margin][margin]) {
            margin++;
        }
        return margin;
    }

    boolean hasFinders() {
        int near = margin();
        int far = width() - near - 7;
        return square(near, near, 7).equals(FINDER)
                && square(far, near, 7).equals(FINDER)
                && square(near, far, 7).equals(FINDER);
    }

    /** Returns the modules without the margin. */
    String modules() {
        return square(margin(), margin(), width() - 2 * margin());
    }

    /** Returns whether the margin around the code is light. */
    boolean hasLightMargin() {
        int near = margin();
        int far = width() - near;
        for (int y = 0; y < dark.length; y++) {
            for (int x = 0; x < width(); x++) {
                boolean isInside = x >= near && x < far && y >= near && y < far;
                if (dark[y][x] && !isInside) {
                    return false;
                }
            }
        }
        return dark.length >= width();
    }

    static String modules(QrCode code) {
        var text = new StringBuilder();
        for (int y = 0; y < code.size; y++) {
            for (int x = 0; x < code.size; x++) {
                text.append(code.getModule(x, y) ? '#' : '.');
            }
            text.append('\n');
        }
        return text.toString();
    }

    private String square(int left, int top, int size) {
        var text = new StringBuilder();
        for (int y = top; y < top + size; y++) {
            for (int x = left; x < left + size; x++) {
                text.append(dark[y][x] ? '#' : '.');
            }
            text.append('\n');
        }
        return text.toString();
    }
}
