package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.file.Path;

/** Appends messages and exits. Arguments: directory, sender, count. */
final class MailboxAppender {
    private MailboxAppender() {}

    public static void main(String[] args) throws IOException {
        try (var mailbox = Mailbox.open(Path.of(args[0]), 1)) {
            int count = Integer.parseInt(args[2]);
            for (int n = 0; n < count; n++) {
                var draft =
                        Draft.of(
                                MessageType.CHAT,
                                args[1],
                                "",
                                "message " + n + " " + "x".repeat(n % 200));
                if (mailbox.append(draft).duplicate()) {
                    throw new IllegalStateException(
                            "message " + n + " was reported as a duplicate");
                }
            }
        }
    }
}
