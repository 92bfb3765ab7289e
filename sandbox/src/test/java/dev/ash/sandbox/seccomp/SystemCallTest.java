package dev.ash.sandbox.seccomp;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks the table against the headers of the kernel, where they are installed. */
class SystemCallTest {
    private static final Path X86_HEADER = Path.of("/usr/include/x86_64-linux-gnu/asm/unistd_64.h");

    /** The numbers of aarch64, and calls that only 32-bit systems have. */
    private static final Path GENERIC_HEADER = Path.of("/usr/include/asm-generic/unistd.h");

    private static final List<String> NOT_ON_AARCH64 =
            List.of("arch_specific_syscall", "sync_file_range2", "syscalls");

    private static Map<String, Integer> header(Path file, String definition) throws IOException {
        assumeTrue(Files.isReadable(file), "skipped: " + file + " is not installed");
        var pattern = Pattern.compile(definition + "(\\w+)\\s+(\\d+)\\s*(?:/\\*.*)?");
        return Files.readAllLines(file).stream()
                .map(pattern::matcher)
                .filter(Matcher::matches)
                .collect(
                        Collectors.toMap(
                                match -> match.group(1),
                                match -> Integer.parseInt(match.group(2)),
                                (first, second) -> first,
                                TreeMap::new));
    }

    private static Map<String, Integer> table(Processor processor) {
        return SystemCall.ALL.stream()
                .filter(call -> call.number(processor).isPresent())
                .collect(
                        Collectors.toMap(
                                SystemCall::name, call -> call.number(processor).getAsInt()));
    }

    @Test
    void hasTheNumbersOfX86() throws IOException {
        var table = table(Processor.X86_64);
        // Newer headers have calls that the table does not: those fail with ENOSYS.
        var known = header(X86_HEADER, "#define __NR_");
        known.keySet().retainAll(table.keySet());

        assertThat(known).hasSizeGreaterThan(340);
        assertThat(table).containsAllEntriesOf(known);
    }

    @Test
    void hasTheNumbersOfAarch64() throws IOException {
        var table = table(Processor.AARCH64);
        var known = header(GENERIC_HEADER, "#define __NR(?:3264)?_");
        known.put("newfstatat", known.remove("fstatat"));
        NOT_ON_AARCH64.forEach(known::remove);
        known.keySet().removeIf(name -> name.endsWith("time64"));
        known.keySet().retainAll(table.keySet());

        assertThat(known).hasSizeGreaterThan(290);
        assertThat(table).containsAllEntriesOf(known);
    }

    /** Both processors number the calls since Linux 5.1 alike. */
    @Test
    void hasOneNumberForRecentCalls() {
        assertThat(SystemCall.ALL)
                .filteredOn(call -> call.x86().orElse(0) >= 424 || call.aarch64().orElse(0) >= 424)
                .hasSizeGreaterThan(45)
                .allSatisfy(call -> assertThat(call.x86()).isEqualTo(call.aarch64()));
    }

    @ParameterizedTest
    @EnumSource(Processor.class)
    void listsEachNameAndNumberOnce(Processor processor) {
        assertThat(SystemCall.ALL).extracting(SystemCall::name).doesNotHaveDuplicates();
        assertThat(SystemCall.ALL)
                .extracting(call -> call.number(processor))
                .filteredOn(not(OptionalInt::isEmpty))
                .doesNotHaveDuplicates();
    }
}
