package dev.ash.bench.paths;

import dev.ash.bench.paths.EntryTransform.Kind;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A rule for counting visited classes.
 *
 * @param kinds the kinds of entries that count
 * @param classes the pattern for the full names of classes that count
 */
record Rule(String name, Set<Kind> kinds, Pattern classes) {
    private static final Set<Kind> LOGIC = EnumSet.of(Kind.LOGIC);
    private static final Set<Kind> LOGIC_AND_STREAMS = EnumSet.of(Kind.LOGIC, Kind.STREAM);

    static final Rule ALL = new Rule("all modules", LOGIC_AND_STREAMS, Pattern.compile(".*"));

    static final Rule SERVER =
            new Rule(
                    "module server", LOGIC_AND_STREAMS, Pattern.compile("dev\\.ash\\.server\\..*"));

    static final Rule FEATURES =
            new Rule(
                    "features of server",
                    LOGIC_AND_STREAMS,
                    Pattern.compile("dev\\.ash\\.server\\.(?!http\\.|store\\.)[a-z].*"));

    /** The rule closest to a manual count, which found 37, 20 and 20 classes. */
    static final Rule MANUAL_COUNT =
            new Rule(
                    "features without *Store and streams",
                    LOGIC,
                    Pattern.compile("dev\\.ash\\.server\\.(?!http\\.|store\\.)[a-z].*(?<!Store)"));

    private boolean counts(Entry entry) {
        return kinds.contains(entry.kind()) && classes.matcher(entry.type()).matches();
    }

    /** Returns the classes that these entries visit, in the order of the first visit. */
    Set<String> visited(List<Entry> entries) {
        var classes = new LinkedHashSet<String>();
        entries.stream().filter(this::counts).map(Entry::type).forEach(classes::add);
        return classes;
    }
}
