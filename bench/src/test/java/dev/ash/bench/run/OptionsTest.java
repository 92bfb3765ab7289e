package dev.ash.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {
    private static final List<String> KNOWN = List.of("start", "stop");

    @Test
    void hasDefaults() {
        var options = Options.parse(List.of(), KNOWN);

        assertThat(options.names()).isEmpty();
        assertThat(options.runs()).isEqualTo(100);
        assertThat(options.isJson()).isFalse();
        assertThat(options.failsOnRegression()).isFalse();
        assertThat(options.action()).isEqualTo(Options.Action.MEASURE);
    }

    @Test
    void readsNamesAndOptionsInAnyOrder() {
        var options =
                Options.parse(
                        List.of("stop", "--runs", "5", "--json", "start", "--fail-on-regression"),
                        KNOWN);

        assertThat(options.names()).containsExactly("stop", "start");
        assertThat(options.runs()).isEqualTo(5);
        assertThat(options.isJson()).isTrue();
        assertThat(options.failsOnRegression()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stopp | unknown benchmark \"stopp\"; expected one of: start, stop",
                "--rounds | unknown option \"--rounds\"; --help lists the options",
                "--runs | --runs needs a value",
                "--runs 0 | it must be a whole number from 1 to 10000",
                "--runs many | --runs is \"many\"",
                "--compare /nonexistent | is not a readable file"
            })
    void rejectsInvalidArguments(String arguments, String message) {
        assertThatThrownBy(() -> Options.parse(List.of(arguments.split(" ")), KNOWN))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void rejectsDirectoryWithoutBuild(@TempDir Path empty) {
        var arguments = List.of("--compare-dist", empty.toString());

        assertThatThrownBy(() -> Options.parse(arguments, KNOWN))
                .hasMessageContaining("has no directory server; build that version first");
    }
}
