package dev.ash.protocol.json;

/** Tells UTF-8 from other bytes, without decoding. */
final class Utf8 {
    static boolean isValid(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to) {
            int lead = bytes[i++];
            if (lead >= 0) {
                continue;
            }
            int more = continuationBytes(lead & 0xFF);
            if (more < 0 || i + more > to || !followsLead(lead & 0xFF, bytes[i] & 0xFF)) {
                return false;
            }
            for (int last = i + more; i < last; i++) {
                if ((bytes[i] & 0xC0) != 0x80) {
                    return false;
                }
            }
        }
        return true;
    }

    private static int continuationBytes(int lead) {
        if (lead >= 0xC2 && lead <= 0xDF) {
            return 1;
        }
        if (lead >= 0xE0 && lead <= 0xEF) {
            return 2;
        }
        return lead >= 0xF0 && lead <= 0xF4 ? 3 : -1;
    }

    /** Over-long forms, surrogates and values past U+10FFFF show in the second byte. */
    private static boolean followsLead(int lead, int second) {
        return switch (lead) {
            case 0xE0 -> second >= 0xA0;
            case 0xED -> second <= 0x9F;
            case 0xF0 -> second >= 0x90;
            case 0xF4 -> second <= 0x8F;
            default -> true;
        };
    }

    private Utf8() {}
}
