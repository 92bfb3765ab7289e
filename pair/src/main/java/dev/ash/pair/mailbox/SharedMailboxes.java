package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The open mailboxes of this process, one per directory. Static because file locks belong to the
 * process: the operating system releases a lock when the process closes any descriptor of the lock
 * file.
 */
final class SharedMailboxes {
    private static final Map<Path, Shared> OPEN = new HashMap<>();

    private static final class Shared {
        final SharedMailbox mailbox;
        int users;

        Shared(SharedMailbox mailbox) {
            this.mailbox = mailbox;
        }
    }

    private SharedMailboxes() {}

    static SharedMailbox acquire(Path realDirectory) throws IOException {
        synchronized (OPEN) {
            var shared = OPEN.get(realDirectory);
            if (shared == null) {
                shared = new Shared(new SharedMailbox(realDirectory));
                OPEN.put(realDirectory, shared);
            }
            shared.users++;
            return shared.mailbox;
        }
    }

    static void release(Path realDirectory) throws IOException {
        synchronized (OPEN) {
            var shared = OPEN.get(realDirectory);
            if (shared != null && --shared.users == 0) {
                OPEN.remove(realDirectory);
                shared.mailbox.close();
            }
        }
    }
}
