package dev.ash.sandbox.disk;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The shape of an image whose users can store {@code diskMb}, and never more. What the file system
 * needs for itself comes on top. The image is sparse, so this costs disk space only when used.
 */
record ImageSize(int diskMb, long bytes) {
    private static final long MB = 1024 * 1024;
    private static final int INODE_BYTES = 256;

    /** An inode for each block, so that small files run out of space and not of inodes. */
    private static final int BYTES_PER_INODE = 4096;

    /** Below this, blocks of 1 KB: a journal of 4 KB blocks would be larger than the limit. */
    private static final int SMALL = 64;

    // Named, because the defaults differ between versions of mkfs, and so would the space.
    private static final String FEATURES =
            "none,has_journal,ext_attr,dir_index,filetype,extent,64bit,flex_bg,sparse_super,"
                    + "large_file,huge_file,dir_nlink,extra_isize,metadata_csum";

    static ImageSize of(int diskMb) {
        long user = diskMb * MB;
        long block = blockBytes(diskMb);
        long total = user;
        for (int i = 0; i < 20; i++) { // what comes on top grows with the whole; this converges
            long groups = total / (8 * block * block) + 1;
            // The kernel keeps back a fiftieth, at most 4096 blocks, for its own bookkeeping.
            long kernel = Math.min(total / 50, 4096 * block);
            long inodes = total / BYTES_PER_INODE * INODE_BYTES;
            long fixed = journalMb(diskMb) * MB + rootBytes(diskMb);
            total = user + fixed + kernel + inodes + groups * 2 * block;
        }
        total -= total / 400; // rather a little less than more
        return new ImageSize(diskMb, total / block * block);
    }

    /** The limit that an image of so many bytes was made for. */
    static int limitOf(long bytes) {
        int low = 1;
        int high = Integer.MAX_VALUE - 1;
        while (low < high) { // the first that needs at least so many
            int middle = low + (high - low) / 2;
            if (of(middle).bytes < bytes) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    List<String> format(Path mkfs, Path image) {
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

    /** For the server alone, which writes down launches beside the files of the sandbox. */
    private static long rootBytes(int diskMb) {
        return diskMb < SMALL ? MB / 4 : MB;
    }
}
