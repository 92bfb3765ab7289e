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
    @TempDir private Path directory;

    @Test
    void bypassesWithoutRules() throws Exception {
        assertThat(mode(null)).isEqualTo(PermissionMode.BYPASS_PERMISSIONS);

        settings("workspace", "{\"model\":\"opus\"}");
        assertThat(mode(null)).isEqualTo(PermissionMode.BYPASS_PERMISSIONS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "workspace"})
    void appliesAgentRulesIfPresent(String directoryName) throws Exception {
        settings(directoryName, "{\"permissions\":{\"allow\":[\"Read\"]}}");

        assertThat(mode(null)).isEqualTo(PermissionMode.PERMISSIONS_BY_AGENT);
        assertThat(mode("bypassPermissions")).isEqualTo(PermissionMode.BYPASS_PERMISSIONS);
    }

    @Test
    void unreadableRulesDoNotBypass() throws Exception {
        settings("agent", "{\"permissions\":");

        assertThat(mode(null)).isEqualTo(PermissionMode.PERMISSIONS_BY_AGENT);
    }

    @Test
    void sessionOverridesMode() throws Exception {
        assertThat(mode("permissionsByAgent")).isEqualTo(PermissionMode.PERMISSIONS_BY_AGENT);
        assertThat(mode("ask")).isEqualTo(PermissionMode.ASK);
        assertThat(mode("default")).isEqualTo(PermissionMode.ASK);
        assertThatThrownBy(() -> mode("plan"))
                .hasMessage(
                        "unknown permissionMode 'plan'; expected bypassPermissions,"
                                + " permissionsByAgent or ask");
    }

    private PermissionMode mode(String mode) throws Exception {
        return Permissions.mode(Setups.in(directory, Map.of(), mode));
    }

    private void settings(String directoryName, String json) throws Exception {
        var file = directory.resolve(directoryName).resolve(".claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, json);
    }
}
