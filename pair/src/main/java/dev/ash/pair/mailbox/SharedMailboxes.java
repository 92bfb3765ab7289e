package dev.ash.pair.mailbox;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The mailboxes that are open in this process, one a directory. Static because the lock between
 * processes is: the system gives it to the process, not to an object, and takes it away when any
 * descriptor of the lock file is closed.
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
