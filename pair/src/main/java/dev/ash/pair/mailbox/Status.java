package dev.ash.pair.mailbox;

import java.util.List;
import java.util.Map;

/**
 * Message counts of a mailbox. {@code flagged} counts messages with a {@link Entry.Flag}; {@code
 * recentlySkipped} contains the last of the {@code skipped} lines.
 */
public record Status(
        long total,
        long done,
        long pass,
        long fail,
        Map<String, Long> bySender,
        Map<String, Long> byType,
        long flagged,
        long skipped,
        List<SkippedLine> recentlySkipped) {

    /** Returns the number of messages of type {@code signal}. */
    public long signals() {
        return byType.getOrDefault(MessageType.SIGNAL.wire(), 0L);
    }
}
