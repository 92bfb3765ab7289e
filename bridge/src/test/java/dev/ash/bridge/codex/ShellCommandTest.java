package dev.ash.bridge.codex;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellCommandTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "/bin/bash -lc 'make test'|make test",
                "/bin/bash -lc ls|ls",
                "/bin/bash -lc \"echo 'a b'\"|echo 'a b'",
                "/bin/sh -c \"say \\\"hi\\\"\"|say \"hi\"",
                "/bin/bash -lc 'it'\"'\"'s'|it's",
                "/bin/bash -lc \"echo $HOME\"|/bin/bash -lc \"echo $HOME\"",
                "/bin/bash -lc 'a' b|/bin/bash -lc 'a' b",
                "/bin/bash -lc 'open|/bin/bash -lc 'open",
                "python3 -c 'x'|python3 -c 'x'",
                "make|make"
            })
    void removesShellFromSimpleCommands(String line, String command) {
        assertThat(ShellCommand.unwrap(line)).isEqualTo(command);
    }

    @Property(tries = 300)
    void unquotesAnyCommand(@ForAll String command) {
        var quoted = "'" + command.replace("'", "'\"'\"'") + "'";

        assertThat(ShellCommand.unwrap("/bin/bash -lc " + quoted)).isEqualTo(command);
    }
}
