package dev.ash.pair.mailbox;

import dev.ash.pair.run.PrivateFiles;
import dev.ash.protocol.json.MalformedJsonException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a writer that was killed left after the last newline. A whole message only gets its newline;
 * anything else is moved to the quarantine file. For whoever holds the lock.
 */
final class TornTail {
    private static final int CHUNK = 1024 * 1024;
    private static final int PATIENCE = 50;

    private final MailboxFile file;
    private final Path quarantine;
    private final Duration grace;

    TornTail(MailboxFile file, Path quarantine, Duration grace) {
        this.file = file;
        this.quarantine = quarantine;
        this.grace = grace;
    }

    void repair(FileChannel out) throws IOException {
        if (isStillWritten()) {
            return;
        }
        long length = file.tailBytes();
        if (isMessage(length)) {
            out.write(ByteBuffer.wrap(new byte[] {'\n'}));
        } else {
            copy(length);
            out.truncate(file.end());
        }
        out.force(true);
        file.catchUp();
    }

    /** Programs without our lock may be in the middle of a line: they get time while it grows. */
    private boolean isStillWritten() throws IOException {
        long before = 0;
        for (int i = 0; i < PATIENCE && file.tailBytes() > before; i++) {
            before = file.tailBytes();
            pause();
            file.catchUp();
        }
        return file.tailBytes() == 0;
    }

    private void pause() throws IOException {
        try {
            Thread.sleep(grace);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the mailbox is being closed");
        }
    }

    private boolean isMessage(long length) throws IOException {
        if (length >= MessageLine.MAX_BYTES) {
            return false;
        }
        try {
            MailboxFile.decode(file.bytes(file.end(), (int) length), 1);
            return true;
        } catch (MalformedJsonException e) {
            return false;
        }
    }

    /** First there, then gone here: a crash in between leaves it twice rather than nowhere. */
    private void copy(long length) throws IOException {
        PrivateFiles.createFile(quarantine);
        try (var target = new FileOutputStream(quarantine.toFile(), true)) {
            for (long done = 0; done < length; ) {
                int part = (int) Math.min(CHUNK, length - done);
                target.write(file.bytes(file.end() + done, part));
                done += part;
            }
            target.write('\n');
            target.getFD().sync();
        }
    }
}
