package dev.ash.bench.paths;

import dev.ash.bench.paths.EntryTransform.Kind;

/**
 * One recorded entry into a method.
 *
 * @param nanos the time of {@link System#nanoTime}, which all processes of a machine share
 * @param thread the name of the thread without numbers
 * @param type the top-level class
 */
record Entry(long nanos, String thread, String type, Kind kind) {
    static Entry parse(String line) {
        var fields = line.split("\t", 4);
        return new Entry(
                Long.parseLong(fields[0]),
                fields[1].replaceAll("[0-9a-f-]*[0-9][0-9a-f-]*", "*"),
                fields[2],
                Kind.valueOf(fields[3]));
    }
}
