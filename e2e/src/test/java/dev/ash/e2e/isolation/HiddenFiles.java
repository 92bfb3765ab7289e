package dev.ash.e2e.isolation;

/** A program that stores data in unlinked files whose descriptors are in unread socket messages. */
final class HiddenFiles {
    /**
     * Returns a program that writes {@code mb} megabytes and prints the errno that stopped it (or
     * 0) and the megabytes written.
     */
    static String program(int mb) {
        return """
                import array, os, socket
                kept, written, error = [], 0, 0
                try:
                    for i in range(%d):
                        pair = socket.socketpair()
                        kept.append(pair)
                        file = os.open('hidden', os.O_CREAT | os.O_RDWR)
                        os.unlink('hidden')
                        rights = array.array('i', [file])
                        pair[0].sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
                        for j in range(8):
                            written += os.write(file, bytes(1 << 20))
                        os.close(file)
                except OSError as e:
                    error = e.errno
                print(error, written >> 20, flush=True)
                """
                .formatted(mb / 8);
    }

    private HiddenFiles() {}
}
