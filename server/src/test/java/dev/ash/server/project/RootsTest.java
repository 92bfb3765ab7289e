package dev.ash.server.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.TenantId;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RootsTest {
    private static final TenantId ACME = new TenantId("acme");

    @Test
    void parsesEntriesOfDefaultNamedAndAllTenants() {
        var roots = Roots.parse(Roots.AGENTS, "/a:acme=/b/../c: *=/d=e :/f=/g::");

        assertThat(roots.of(TenantId.DEFAULT))
                .containsExactly(Path.of("/a"), Path.of("/d=e"), Path.of("/f=/g"));
        assertThat(roots.of(ACME)).containsExactly(Path.of("/c"), Path.of("/d=e"));
        assertThat(roots.of(new TenantId("other"))).containsExactly(Path.of("/d=e"));
    }

    @Test
    void parsesEmptySetting() {
        assertThat(Roots.parse(Roots.AGENTS, "")).isEqualTo(Roots.none(Roots.AGENTS));
        assertThat(Roots.none(Roots.AGENTS).of(TenantId.DEFAULT)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "./a", "~/a", "acme=a", "acme=", "=/a", "a b=/a", "**=/a", "/\0"})
    void rejectsInvalidEntries(String entry) {
        assertThatThrownBy(() -> Roots.parse(Roots.AGENTS, "/good:" + entry))
                .hasMessageContaining("ASH_AGENT_ROOTS has the invalid entry \"" + entry)
                .hasMessageContaining("NAME=/path");
    }
}
