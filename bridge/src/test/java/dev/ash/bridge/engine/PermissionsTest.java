package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.PermissionMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermissionsTest {
    @TempDir private Path folder;

    @Test
    void nobodyDecidesWithoutRules() throws Exception {
        assertThat(decided(null)).isEqualTo(PermissionMode.BYPASS_PERMISSIONS);

        settings("workspace", "{\"model\":\"opus\"}");
        assertThat(decided(null)).isEqualTo(PermissionMode.BYPASS_PERMISSIONS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "workspace"})
    void theAgentsRulesDecideWhereItHasSome(String place) throws Exception {
        settings(place, "{\"permissions\":{\"allow\":[\"Read\"]}}");

        assertThat(decided(null)).isEqualTo(PermissionMode.PERMISSIONS_BY_AGENT);
        assertThat(decided("bypassPermissions")).isEqualTo(PermissionMode.BYPASS_PERMISSIONS);
    }

    @Test
    void rulesThatCannotBeReadAreNoLeave() throws Exception {
        settings("agent", "{\"permissions\":");

        assertThat(decided(null)).isEqualTo(PermissionMode.PERMISSIONS_BY_AGENT);
    }

    @Test
    void theSessionDecidesHow() throws Exception {
        assertThat(decided("permissionsByAgent")).isEqualTo(PermissionMode.PERMISSIONS_BY_AGENT);
        assertThat(decided("ask")).isEqualTo(PermissionMode.ASK);
        assertThat(decided("default")).isEqualTo(PermissionMode.ASK);
        assertThatThrownBy(() -> decided("plan"))
                .hasMessage(
                        "permissionMode 'plan' is not known; expected bypassPermissions,"
                                + " permissionsByAgent or ask");
    }

    private PermissionMode decided(String mode) throws Exception {
        return Permissions.of(Setups.in(folder, Map.of(), mode));
    }

    private void settings(String place, String json) throws Exception {
        var file = folder.resolve(place).resolve(".claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, json);
    }
}
