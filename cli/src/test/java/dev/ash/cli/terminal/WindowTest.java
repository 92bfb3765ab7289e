package dev.ash.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WindowTest {
    @Test
    void aTerminalThatDoesNotKnowItsSizeIsNotTooSmall() {
        assertThat(Window.parsed("24 80")).isEqualTo(new Window(80, 24));
        for (var unknown : new String[] {"0 0", "", "sh: 1: stty: not found", "24", "-1 80"}) {
            assertThat(Window.parsed(unknown).columns()).isEqualTo(Integer.MAX_VALUE);
            assertThat(Window.parsed(unknown).rows()).isEqualTo(Integer.MAX_VALUE);
        }
    }
}
