package dev.ash.sandbox.seccomp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;

/** A system call with its rule: an entry of {@code system-calls.txt}. */
record SystemCall(String name, Rule rule, OptionalInt x86, OptionalInt aarch64) {
    /** Every system call of Linux at the last update of the table. */
    static final List<SystemCall> ALL = load();

    /** Returns the number on this architecture; empty if it does not have the call. */
    OptionalInt number(Processor processor) {
        return switch (processor) {
            case X86_64 -> x86;
            case AARCH64 -> aarch64;
        };
    }

    private static List<SystemCall> load() {
        try (var in = SystemCall.class.getResourceAsStream("system-calls.txt")) {
            var text =
                    new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            return parse(text.lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<SystemCall> parse(List<String> lines) {
        var calls = new ArrayList<SystemCall>();
        var rule = Rule.ABSENT;
        for (var line : lines) {
            if (line.startsWith("[")) {
                rule = Rule.named(line.substring(1, line.indexOf(']')));
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                var fields = line.split(" ", -1);
                calls.add(new SystemCall(fields[0], rule, number(fields[1]), number(fields[2])));
            }
        }
        return List.copyOf(calls);
    }

    private static OptionalInt number(String field) {
        return field.equals("-") ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(field));
    }
}
