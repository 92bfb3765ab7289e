package dev.ash.sandbox.disk;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The size and format of an image whose users can store {@code diskMb}, and never more. The
 * overhead of the file system is added. The image is sparse, so the overhead uses disk space only
 * when written.
 */
record ImageSize(int diskMb, long bytes) {
    private static final long MB = 1024 * 1024;
    private static final int INODE_BYTES = 256;

    /** One inode per block, so that small files exhaust the space, not the inodes. */
    private static final int BYTES_PER_INODE = 4096;

    /** Smaller images have blocks of 1 KB: a journal of 4 KB blocks would exceed the limit. */
    private static final int SMALL = 64;

    // Explicit, because the defaults, and so the overhead, differ between versions of mkfs.
    private static final String FEATURES =
            "none,has_journal,ext_attr,dir_index,filetype,extent,64bit,flex_bg,sparse_super,"
                    + "large_file,huge_file,dir_nlink,extra_isize,metadata_csum";

    static ImageSize of(int diskMb) {
        long payload = diskMb * MB;
        long block = blockBytes(diskMb);
        long total = payload;
        for (int i = 0; i < 20; i++) { // the overhead depends on the total; this converges
            long groups = total / (8 * block * block) + 1;
            // The kernel reserves 2%, at most 4096 blocks, for itself.
            long kernel = Math.min(total / 50, 4096 * block);
            long inodes = total / BYTES_PER_INODE * INODE_BYTES;
            long fixed = journalMb(diskMb) * MB + rootBytes(diskMb);
            total = payload + fixed + kernel + inodes + groups * 2 * block;
        }
        total -= total / 400; // round down
        return new ImageSize(diskMb, total / block * block);
    }

    /** Returns the limit that an image of this size was created for. */
    static int limitOf(long bytes) {
        int low = 1;
        int high = Integer.MAX_VALUE - 1;
        while (low < high) { // the smallest limit that needs at least this size
            int middle = low + (high - low) / 2;
            if (of(middle).bytes < bytes) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    List<String> formatCommand(Path mkfs, Path image) {
        double rootPercent = 100.0 * rootBytes(diskMb) / bytes;
        return List.of(
                mkfs.toString(),
                "-F",
                "-q",
                "-b",
                Long.toString(blockBytes(diskMb)),
                "-I",
                Integer.toString(INODE_BYTES),
                "-i",
                Integer.toString(BYTES_PER_INODE),
                "-m",
                String.format(Locale.ROOT, "%.4f", rootPercent),
                "-J",
                "size=" + journalMb(diskMb),
                "-O",
                FEATURES,
                "-E",
                "nodiscard,lazy_itable_init=1,lazy_journal_init=1",
                image.toString());
    }

    private static long blockBytes(int diskMb) {
        return diskMb < SMALL ? 1024 : 4096;
    }

    private static int journalMb(int diskMb) {
        return diskMb < SMALL ? 1 : diskMb < 512 ? 4 : 16;
    }

    /** Space reserved for root: the server writes launch records to the same file system. */
    private static long rootBytes(int diskMb) {
        return diskMb < SMALL ? MB / 4 : MB;
    }
}
