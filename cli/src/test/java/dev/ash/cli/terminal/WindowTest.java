package dev.ash.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WindowTest {
    @Test
    void isUnboundedIfSizeIsUnknown() {
        assertThat(Window.parse("24 80")).isEqualTo(new Window(80, 24));
        for (var unknown : new String[] {"0 0", "", "sh: 1: stty: not found", "24", "-1 80"}) {
            assertThat(Window.parse(unknown).columns()).isEqualTo(Integer.MAX_VALUE);
            assertThat(Window.parse(unknown).rows()).isEqualTo(Integer.MAX_VALUE);
        }
    }
}
