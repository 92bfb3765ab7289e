package dev.ash.pair.mailbox;

import dev.ash.pair.PeerName;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Prints the number of each foreign message that it receives, and then acknowledges it. Runs until
 * it is killed or its input ends. Arguments: directory, peer.
 */
final class MailboxReceiver {
    private MailboxReceiver() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        var peer = new PeerName(args[1]);
        try (var mailbox = Mailbox.open(Path.of(args[0]), 1)) {
            long seen = mailbox.acked(peer);
            while (System.in.available() == 0) {
                var entries = mailbox.read(seen, 200);
                for (var entry : entries) {
                    seen = entry.seq();
                    if (entry.message().from().equals("foreign")) {
                        System.out.println(entry.message().content().split(" ", 2)[0]);
                    }
                }
                System.out.flush();
                if (!entries.isEmpty()) {
                    mailbox.ack(peer, seen);
                } else {
                    mailbox.await(seen, Duration.ofMillis(200));
                }
            }
        }
    }
}
