package dev.ash.protocol.json;

/** Validates UTF-8 without decoding it. */
final class Utf8 {
    static boolean isValid(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to) {
            int lead = bytes[i++];
            if (lead >= 0) {
                continue;
            }
            int count = continuationBytes(lead & 0xFF);
            if (count < 0 || i + count > to || !isValidSecond(lead & 0xFF, bytes[i] & 0xFF)) {
                return false;
            }
            for (int last = i + count; i < last; i++) {
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

    /** The second byte reveals overlong forms, surrogates and values above U+10FFFF. */
    private static boolean isValidSecond(int lead, int second) {
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
