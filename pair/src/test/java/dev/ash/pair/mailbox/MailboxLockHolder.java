package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Acquires the lock of a mailbox, prints a line, and holds it until its input ends. */
final class MailboxLockHolder {
    private MailboxLockHolder() {}

    public static void main(String[] args) throws IOException {
        var file = Path.of(args[0], "bridge.lock");
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            System.out.println("locked");
            System.in.read();
        }
    }
}
