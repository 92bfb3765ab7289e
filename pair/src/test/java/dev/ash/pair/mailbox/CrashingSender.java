package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Sends messages, most of them large, until it is killed during one. Arguments: directory, sender.
 */
final class CrashingSender {
    private CrashingSender() {}

    public static void main(String[] args) throws IOException {
        try (var mailbox = Mailbox.open(Path.of(args[0]), 1)) {
            for (int n = 0; n < 100_000; n++) {
                var text = n + " " + "y".repeat(n % 4 == 0 ? 10 : 100_000 * (n % 7));
                mailbox.append(Draft.of(MessageType.CHAT, args[1], "", text));
                System.out.println(n);
                System.out.flush();
            }
        }
    }
}
