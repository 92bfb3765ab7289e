package dev.ash.server.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The texts of {@code operations.md}: an introduction, then one section per endpoint with its
 * method and path as the heading. Code blocks marked {@code request} and {@code sse} are examples
 * of request bodies and event streams.
 */
record OperationDocs(String introduction, Map<String, Operation> operations) {
    private static final String FENCE = "```";

    record Operation(String description, List<Example> examples) {
        List<Example> examples(String kind) {
            return examples.stream().filter(example -> example.kind().equals(kind)).toList();
        }
    }

    record Example(String kind, String name, String summary, String text) {}

    Optional<Operation> of(Endpoint endpoint) {
        return Optional.ofNullable(operations.get(key(endpoint)));
    }

    static String key(Endpoint endpoint) {
        return endpoint.method() + " " + endpoint.path().replace("*}", "}");
    }

    Set<String> keys() {
        return operations.keySet();
    }

    static OperationDocs parse(String markdown) {
        var introduction = new Section();
        var sections = new LinkedHashMap<String, Section>();
        var section = introduction;
        for (var line : markdown.lines().toList()) {
            if (line.startsWith("## ") && section.fence == null) {
                section = new Section();
                if (sections.put(line.substring(3).strip(), section) != null) {
                    throw new IllegalArgumentException("Duplicate section: " + line);
                }
            } else {
                section.add(line);
            }
        }
        var operations = new LinkedHashMap<String, Operation>();
        sections.forEach((key, found) -> operations.put(key, found.operation()));
        return new OperationDocs(introduction.operation().description(), operations);
    }

    /** Collects the lines of a section and its current code block. */
    private static final class Section {
        private final StringBuilder text = new StringBuilder();
        private final List<Example> examples = new ArrayList<>();
        private final StringBuilder code = new StringBuilder();
        private @Nullable String fence;

        private void add(String line) {
            if (fence == null && line.startsWith(FENCE)) {
                fence = line.substring(FENCE.length());
                code.setLength(0);
            } else if (fence != null && line.equals(FENCE)) {
                var words = fence.split(" ", 3);
                examples.add(new Example(words[0], words[1], words[2], code.toString()));
                fence = null;
            } else {
                (fence == null ? text : code).append(line).append('\n');
            }
        }

        /** Removes the surplus blank lines that extracted examples leave behind. */
        private Operation operation() {
            var description = text.toString().replaceAll("\\n{3,}", "\n\n").strip();
            return new Operation(description, List.copyOf(examples));
        }
    }
}
