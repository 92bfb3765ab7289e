package dev.ash.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.terminal.Check;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests each check on a file tree that simulates a host. */
class SecurityChecksTest {
    @TempDir Path temp;
    private Path root;
    private Path data;
    private Ash ash;

    @BeforeEach
    void createHost() throws IOException {
        root = Files.createDirectory(temp.resolve("root"));
        data = Files.createDirectory(temp.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx--x--x"));
        sysctl("kernel.seccomp.actions_avail", "kill_process errno log allow");
        sysctl("kernel.yama.ptrace_scope", "1");
        sysctl("kernel.unprivileged_bpf_disabled", "2");
        sysctl("kernel.dmesg_restrict", "1");
        sysctl("kernel.kptr_restrict", "1");
        sysctl("kernel.core_pattern", "core");
        sysctl("user.max_user_namespaces", "10000");
        write("/proc/self/status", "Name:\tash\nUid:\t0\t0\t0\t0\n");
        write("/proc/self/cgroup", "0::/system.slice/ash.service\n");
        write("/sys/fs/cgroup/cgroup.controllers", "cpu io memory pids");
        write("/sys/fs/cgroup/system.slice/ash.service/cgroup.controllers", "cpu memory pids");
        write(
                "/proc/mounts",
                "/dev/sda / ext4 rw 0 0\n/dev/sdb %s ext4 rw,prjquota 0 0\n".formatted(temp));
        write("/dev/loop-control", "");
        write("/usr/sbin/mkfs.ext4", "");
        bwrap("echo bubblewrap 0.12.0");
        for (var secret : new String[] {"sealing-key", "initial-api-key"}) {
            Files.writeString(data.resolve(secret), "SECRET");
            chmod(data.resolve(secret), "rw-------");
        }
        ash =
                new Ash(temp)
                        .with("PATH", temp.resolve("bin").toString())
                        .with("ASH_DATA_DIR", data.toString())
                        .with("ASH_REQUIRE_ISOLATION", "1");
    }

    private void sysctl(String name, String value) throws IOException {
        write("/proc/sys/" + name.replace('.', '/'), value + "\n");
    }

    private void write(String path, String text) throws IOException {
        var file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static void chmod(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private void bwrap(String script) throws IOException {
        var file = Files.createDirectories(temp.resolve("bin")).resolve("bwrap");
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        chmod(file, "rwxr-xr-x");
    }

    private Map<String, Check> checks() {
        var host = ash.host(new ByteArrayOutputStream(), new ByteArrayOutputStream());
        return new SecurityChecks(host, new SystemFiles(root))
                .all().stream().collect(Collectors.toMap(Check::name, Function.identity()));
    }

    private Check check(String name) {
        var check = checks().get(name);
        assertThat(check).as(name).isNotNull();
        return check;
    }

    private void assertStatus(String name, Check.Status status, String... words) {
        var check = check(name);
        assertThat(check.status()).as(check.toString()).isEqualTo(status);
        assertThat(check.found() + " " + check.advice()).contains(words);
        assertThat(check.advice() == null).isEqualTo(status == Check.Status.OK);
    }

    @Test
    void reportsNoProblemsOnSecureHost() {
        assertThat(checks().values())
                .allSatisfy(
                        check ->
                                assertThat(check.status())
                                        .as(check.toString())
                                        .isEqualTo(Check.Status.OK));
        assertThat(checks().values().toString()).doesNotContain("SECRET");
    }

    @ParameterizedTest
    @CsvSource({
        "kernel.yama.ptrace_scope, 0, ptrace, WEAK, sysctl kernel.yama.ptrace_scope=1",
        "kernel.unprivileged_bpf_disabled, 0, unprivileged bpf, WEAK, sysctl kernel.unprivileged_bpf_disabled=1",
        "kernel.dmesg_restrict, 0, kernel log, WEAK, sysctl kernel.dmesg_restrict=1",
        "kernel.kptr_restrict, 0, kernel pointers, WEAK, sysctl kernel.kptr_restrict=1",
        "fs.suid_dumpable, 1, bridge memory, WEAK, sysctl fs.suid_dumpable=0",
        "kernel.core_pattern, |/usr/lib/collect %p, core dumps, WEAK, /usr/lib/collect",
        "kernel.seccomp.actions_avail, kill trap, seccomp, MISSING, Linux 4.14",
        "user.max_user_namespaces, 0, user namespace settings, MISSING, user.max_user_namespaces",
        "kernel.unprivileged_userns_clone, 0, user namespace settings, MISSING, kernel.unprivileged_userns_clone=1",
        "kernel.apparmor_restrict_unprivileged_userns, 1, user namespace settings, WEAK, AppArmor",
    })
    void reportsWeakKernelSettings(
            String setting, String value, String name, Check.Status status, String advice)
            throws IOException {
        sysctl(setting, value);

        assertStatus(name, status, advice);
    }

    @Test
    void reportsAbsentKernelFeatures() throws IOException {
        Files.delete(root.resolve("proc/sys/kernel/yama/ptrace_scope"));
        Files.delete(root.resolve("proc/sys/kernel/seccomp/actions_avail"));
        write("/dev/vsock", "");

        assertStatus("ptrace", Check.Status.WEAK, "Yama is not enabled");
        assertStatus("seccomp", Check.Status.MISSING, "CONFIG_SECCOMP_FILTER");
        assertStatus("vsock", Check.Status.WEAK, "AF_VSOCK", "modprobe.d");
    }

    @ParameterizedTest
    @CsvSource({
        "bubblewrap 0.8.0, WEAK, CVE-2026-87766",
        "bubblewrap 0.11.9, WEAK, 0.12.0",
        "bubblewrap 0.12.0, OK, 0.12.0",
        "bubblewrap 1.0, OK, 1.0",
        "nothing, WEAK, does not report",
        "bubblewrap 99999999999.1, WEAK, does not report"
    })
    void reportsBubblewrapVersion(String output, Check.Status status, String word)
            throws IOException {
        bwrap("echo " + output);

        assertStatus("bubblewrap", status, word);
    }

    @Test
    void reportsMissingOrSetuidBubblewrap() throws Exception {
        var bwrap = temp.resolve("bin/bwrap");
        var setuid = new ProcessBuilder("chmod", "u+s", bwrap.toString()).start();
        assertThat(setuid.waitFor()).isZero();
        assertStatus("bubblewrap", Check.Status.MISSING, "CVE-2026-41163", "chmod u-s " + bwrap);

        Files.delete(bwrap);
        assertStatus("bubblewrap", Check.Status.MISSING, "apt-get install bubblewrap");
    }

    @Test
    void reportsUnusableControllers() throws IOException {
        write("/sys/fs/cgroup/system.slice/ash.service/cgroup.controllers", "pids");
        assertStatus("control groups", Check.Status.WEAK, "version 2", "memory, cpu", "Delegate");

        Files.delete(root.resolve("sys/fs/cgroup/cgroup.controllers"));
        assertStatus("control groups", Check.Status.MISSING, "version 1", "memory, cpu, pids");

        for (var controller : new String[] {"memory", "cpu", "pids"}) {
            Files.createDirectories(root.resolve("sys/fs/cgroup/" + controller));
        }
        assertStatus("control groups", Check.Status.OK, "version 1");
    }

    @Test
    void reportsDataDirectoryOnRootFileSystem() throws IOException {
        write("/proc/mounts", "/dev/sda / ext4 rw 0 0\n");
        write("/dev/loop-control", "");

        assertStatus("disk", Check.Status.WEAK, data.toString(), "loop device");
    }

    @Test
    void reportsMissingRequirementsOfDiskImages() throws IOException {
        write("/proc/self/status", "Name:\tash\nUid:\t1000\t0\t0\t0\n");
        Files.delete(root.resolve("dev/loop-control"));

        assertStatus("disk limits", Check.Status.WEAK, "root, loop devices", "e2fsprogs");
    }

    @Test
    void reportsSharedUidWithoutRoot() throws IOException {
        write("/proc/self/status", "Name:\tash\nUid:\t1000\t0\t0\t0\n");

        assertStatus("server user", Check.Status.WEAK, "share one uid", "deploy/systemd");
    }

    @Test
    void reportsFilesReadableByOthers() throws IOException {
        chmod(data.resolve("sealing-key"), "rw-r--r--");
        assertStatus("key files", Check.Status.MISSING, "chmod 600 " + data.resolve("sealing-key"));
        assertThat(check("key files").toString()).doesNotContain("SECRET", "initial-api-key");

        chmod(data, "rwxr-xr-x");
        assertStatus("data directory", Check.Status.MISSING, "chmod 711 " + data);
        chmod(data, "rwx--x--x");
        chmod(temp, "rwxrwxrwx");
        assertStatus("data directory", Check.Status.MISSING, "chmod o-w " + temp);
    }

    @Test
    void readsServerSettingsFromConfigFile() throws IOException {
        ash.with("ASH_REQUIRE_ISOLATION", "").with("ASH_HOST", "");
        assertStatus("required isolation", Check.Status.WEAK, "ASH_REQUIRE_ISOLATION=1");

        Files.writeString(
                data.resolve("config.json"),
                "{\"ASH_REQUIRE_ISOLATION\":1,\"ASH_HOST\":\"0.0.0.0\"}");
        assertStatus("required isolation", Check.Status.OK, "is set");
        assertStatus("address", Check.Status.WEAK, "0.0.0.0", "ASH_TLS=on");
        ash.with("ASH_TLS", "on");
        assertStatus("address", Check.Status.OK, "0.0.0.0", "with TLS");
    }

    /** Runs on the real host, with any result. */
    @Test
    void runsOnThisHost() {
        var result =
                new Ash(temp)
                        .with("ASH_DATA_DIR", data.toString())
                        .run("doctor", "--security", "--json");

        assertThat(result.exitCode()).isIn(0, 1);
        assertThat(result.out())
                .startsWith("{\"ok\":" + (result.exitCode() == 0))
                .contains("\"bubblewrap\"", "\"ptrace\"", "\"control groups\"", "\"key files\"")
                .doesNotContain("SECRET");
    }
}
