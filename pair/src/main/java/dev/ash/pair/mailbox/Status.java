package dev.ash.pair.mailbox;

import java.util.List;
import java.util.Map;

/**
 * What the mailbox holds. {@code flagged} counts messages with a {@link Entry.Flag}; {@code
 * latelySkipped} has the last few of the {@code skipped} lines.
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
        List<SkippedLine> latelySkipped) {

    /** Messages of type {@code signal}, whatever they signal. */
    public long signals() {
        return byType.getOrDefault(MessageType.SIGNAL.wire(), 0L);
    }
}
