package dev.ash.cli.device;

import dev.ash.cli.terminal.Window;
import io.nayuki.qrcodegen.QrCode;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Renders a QR code with block characters, two vertically adjacent modules in each.
 *
 * @param margin width of the quiet zone in modules
 */
record QrPicture(QrCode code, int margin) {
    private static final int WIDE = 4; // required by the standard
    private static final int NARROW = 2; // sufficient for common readers

    /** Colors above 15 do not depend on the terminal's color scheme. */
    private static final String BLACK_ON_WHITE = "\u001b[38;5;16;48;5;231m";

    private static final String RESET = "\u001b[0m";

    /** Returns empty if the window is too narrow. */
    static Optional<QrPicture> of(String text, Window window) {
        // Error correction is not needed on a screen; the smallest code is the easiest to read.
        var code = QrCode.encodeText(text, QrCode.Ecc.LOW);
        var wide = new QrPicture(code, WIDE);
        if (wide.columns() <= window.columns() && wide.rows() <= window.rows()) {
            return Optional.of(wide);
        }
        var narrow = new QrPicture(code, NARROW);
        return narrow.columns() <= window.columns() ? Optional.of(narrow) : Optional.empty();
    }

    int columns() {
        return code.size + 2 * margin;
    }

    int rows() {
        return (columns() + 1) / 2;
    }

    /** Returns the code in black on white, regardless of the terminal's colors. */
    String colored() {
        return plain().replaceAll("(?m)^(.*)$", BLACK_ON_WHITE + "$1" + RESET);
    }

    String plain() {
        var lines = new ArrayList<String>();
        for (int y = -margin; y < code.size + margin; y += 2) {
            var line = new StringBuilder();
            for (int x = -margin; x < code.size + margin; x++) {
                line.append(character(code.getModule(x, y), code.getModule(x, y + 1)));
            }
            lines.add(line.toString());
        }
        return String.join("\n", lines);
    }

    private static char character(boolean upper, boolean lower) {
        if (upper) {
            return lower ? '█' : '▀';
        }
        return lower ? '▄' : ' ';
    }
}
