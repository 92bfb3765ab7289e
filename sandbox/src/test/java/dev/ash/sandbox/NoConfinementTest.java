package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hosts that do not support the full isolation. */
class NoConfinementTest {
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = new TestBed();
        bed.withoutBubblewrap();
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    @Test
    void runsWithoutBubblewrapAndReportsIt() throws IOException {
        var manager = bed.manager("serves");
        var spec = bed.spec();

        try (var sandbox = manager.launch(spec)) {
            assertThat(manager.isolation(Network.CLOSED).kind()).isEqualTo("none");
            assertThat(manager.isolation(Network.CLOSED).missing())
                    .contains("bubblewrap is not installed");
            var workspace = manager.workspace(spec.id());
            assertThat(run(sandbox, "pwd; cat CLAUDE.md; echo $HOME $ASH_AGENT_DIR"))
                    .isEqualTo(
                            "%s\nYou are a test.\n%s %s"
                                    .formatted(
                                            workspace,
                                            workspace.resolveSibling("home"),
                                            bed.agent));
            if (TestBed.isRoot()) {
                assertThat(run(sandbox, "id -u"))
                        .isEqualTo("" + manager.owner(spec.id()).orElseThrow());
            }
        }
    }

    @Test
    void killsDaemonsWithoutBubblewrap() throws IOException {
        var mark = "mark-" + UUID.randomUUID();
        var sandbox = bed.manager("serves").launch(bed.spec());
        run(sandbox, "setsid bash -c 'exec -a %s sleep 600' >/dev/null 2>&1 &".formatted(mark));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Processes.with(mark).size() == 1);

        sandbox.close();

        assertThat(Processes.with(mark)).isEmpty();
    }

    @Test
    void rejectsMissingIsolationIfRequired() {
        var config = bed.config("serves");
        var strict =
                new SandboxConfig(
                        config.dataDir(),
                        config.bridgeJars(),
                        config.bridgeCommand(),
                        config.hostEnvironment(),
                        config.ashEnvironment(),
                        List.of(),
                        1,
                        true,
                        config.readyTimeout(),
                        id -> "placeholder of " + id);

        assertThatThrownBy(() -> bed.open(strict))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("ASH_REQUIRE_ISOLATION")
                .hasMessageContaining("bubblewrap is not installed");
    }

    @Test
    void reportsErrorOfBubblewrap() throws IOException {
        useAsBubblewrap("echo 'bwrap: No permissions to create new namespace' >&2; exit 1");

        var isolation = bed.manager("serves").isolation(Network.CLOSED);

        assertThat(isolation.kind()).isEqualTo("none");
        assertThat(isolation.missing()).contains("bwrap: No permissions to create new namespace");
    }

    @Test
    void acceptsOldBubblewrapAsFilterDeniesNesting() throws IOException {
        TestBed.needsBubblewrap();
        useAsBubblewrap(
                """
                mapfile -d '' -t words <&4
                for word in "${words[@]}"; do
                    [ "$word" != --disable-userns ] || { echo "unknown $word" >&2; exit 1; }
                done
                exec bwrap "${words[@]}" "${@:3}"
                """);

        var manager = bed.manager("serves");
        var isolation = manager.isolation(Network.CLOSED);

        assertThat(isolation.kind()).isEqualTo("bubblewrap");
        TestBed.assertOnlyGroupsAreMissing(isolation);
        try (var sandbox = manager.launch(bed.spec())) {
            assertThat(run(sandbox, "unshare --user true")).contains("Operation not permitted");
        }
    }

    @Test
    void reportsThatNetworkCannotBeClosed() throws IOException {
        TestBed.needsBubblewrap();
        useAsBubblewrap(
                """
                mapfile -d '' -t words <&4
                case " ${words[*]} " in
                *" --share-net "*) exec bwrap "${words[@]}" "${@:3}" ;;
                *) echo "bwrap: loopback: Failed RTM_NEWADDR" >&2; exit 1 ;;
                esac
                """);

        var manager = bed.manager("serves");

        var isolation = manager.isolation(Network.CLOSED);
        assertThat(isolation.network()).isEqualTo("host");
        assertThat(isolation.missing()).contains("share the host's network", "RTM_NEWADDR");
        try (var sandbox = manager.launch(bed.spec())) {
            assertThat(run(sandbox, "env")).doesNotContain("ASH_EGRESS_SOCKET");
        }
    }

    @Test
    void rejectsSetuidBubblewrap() throws IOException {
        var program = useAsBubblewrap("exit 0");
        Files.setAttribute(program, "unix:mode", 04755);

        assertThat(bed.manager("serves").isolation(Network.CLOSED).missing()).contains("setuid");
    }

    private Path useAsBubblewrap(String script) throws IOException {
        var program = bed.root.resolve("bwrap");
        Files.writeString(program, "#!/bin/bash\n" + script);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        var tools = bed.machine.tools();
        bed.machine =
                bed.machine.with(
                        new dev.ash.sandbox.launch.HostTools(
                                Optional.of(program), tools.setpriv(), tools.setsid()));
        return program;
    }
}
