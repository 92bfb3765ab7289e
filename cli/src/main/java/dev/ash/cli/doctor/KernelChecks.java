package dev.ash.cli.doctor;

import dev.ash.cli.terminal.Check;
import java.util.List;

/** Checks the kernel settings that the isolation of sandboxes relies on. */
final class KernelChecks {
    private final SystemFiles files;

    KernelChecks(SystemFiles files) {
        this.files = files;
    }

    List<Check> all() {
        return List.of(
                userNamespaces(),
                seccomp(),
                ptrace(),
                vsock(),
                unprivilegedBpf(),
                kernelLog(),
                kernelPointers(),
                coreDumps(),
                bridgeMemory());
    }

    private Check userNamespaces() {
        var name = "user namespace settings";
        var consequence = "so sandboxes cannot be created";
        if (files.sysctl("kernel.unprivileged_userns_clone").orElse("1").equals("0")) {
            return Check.missing(
                    name,
                    "kernel.unprivileged_userns_clone is 0, " + consequence,
                    "sysctl kernel.unprivileged_userns_clone=1");
        }
        if (files.sysctl("user.max_user_namespaces").orElse("1").equals("0")) {
            return Check.missing(
                    name,
                    "user.max_user_namespaces is 0, " + consequence,
                    "sysctl user.max_user_namespaces=10000");
        }
        if (files.sysctlNumber("kernel.apparmor_restrict_unprivileged_userns") > 0) {
            return Check.weak(
                    name,
                    "AppArmor restricts them to programs with a profile",
                    "Install an AppArmor profile for bwrap that has 'userns,', or: sysctl kernel.apparmor_restrict_unprivileged_userns=0");
        }
        return Check.ok(name, "unprivileged user namespaces are allowed");
    }

    private Check seccomp() {
        var actions = files.sysctl("kernel.seccomp.actions_avail");
        if (actions.isEmpty()) {
            return Check.missing(
                    "seccomp",
                    "the kernel has no system call filter, so sandboxes can make any system call",
                    "Use a kernel with CONFIG_SECCOMP_FILTER.");
        }
        var words = List.of(actions.get().split("\\s+"));
        return words.containsAll(List.of("errno", "kill_process"))
                ? Check.ok("seccomp", "filter actions: " + actions.get())
                : Check.missing(
                        "seccomp",
                        "the kernel's filter actions are only: " + actions.get(),
                        "Use Linux 4.14 or later.");
    }

    private Check ptrace() {
        var name = "ptrace";
        var scope = files.sysctl("kernel.yama.ptrace_scope");
        if (scope.isEmpty()) {
            return Check.weak(
                    name,
                    "Yama is not enabled: a tool in a sandbox can write the memory of other processes there",
                    "Boot a kernel with CONFIG_SECURITY_YAMA and yama in the lsm= parameter.");
        }
        return scope.get().equals("0")
                ? Check.weak(
                        name,
                        "kernel.yama.ptrace_scope is 0: a tool in a sandbox can write the memory of other processes there",
                        "sysctl kernel.yama.ptrace_scope=1")
                : Check.ok(name, "kernel.yama.ptrace_scope is " + scope.get());
    }

    /** Network namespaces do not isolate vsock, which reaches the hypervisor's host. */
    private Check vsock() {
        boolean loaded =
                files.exists("/dev/vsock")
                        || files.read("/proc/net/protocols").orElse("").contains("AF_VSOCK")
                        || files.read("/proc/modules").orElse("").contains("vsock");
        return loaded
                ? Check.weak(
                        "vsock",
                        "AF_VSOCK is available; only the system call filter blocks it in sandboxes",
                        "If it is not needed: echo 'install vsock /bin/false' > /etc/modprobe.d/vsock.conf, and restart.")
                : Check.ok("vsock", "AF_VSOCK is not loaded");
    }

    private Check unprivilegedBpf() {
        var value = files.sysctl("kernel.unprivileged_bpf_disabled").orElse("absent");
        return value.equals("0")
                ? Check.weak(
                        "unprivileged bpf",
                        "every user can load BPF programs, a frequent source of kernel exploits",
                        "sysctl kernel.unprivileged_bpf_disabled=1")
                : Check.ok("unprivileged bpf", "kernel.unprivileged_bpf_disabled is " + value);
    }

    private Check kernelLog() {
        return files.sysctlNumber("kernel.dmesg_restrict") == 0
                ? Check.weak(
                        "kernel log",
                        "every user can read it, including addresses and devices of the host",
                        "sysctl kernel.dmesg_restrict=1")
                : Check.ok("kernel log", "kernel.dmesg_restrict is set");
    }

    private Check kernelPointers() {
        return files.sysctlNumber("kernel.kptr_restrict") == 0
                ? Check.weak(
                        "kernel pointers",
                        "kernel addresses are shown in /proc, which helps kernel exploits",
                        "sysctl kernel.kptr_restrict=1")
                : Check.ok("kernel pointers", "kernel.kptr_restrict is set");
    }

    private Check coreDumps() {
        var pattern = files.sysctl("kernel.core_pattern").orElse("");
        return pattern.startsWith("|")
                ? Check.weak(
                        "core dumps",
                        "a crash in a sandbox runs '%s' on the host, as root and with its memory"
                                .formatted(pattern.substring(1)),
                        "sysctl kernel.core_pattern=core")
                : Check.ok("core dumps", "no host program processes them");
    }

    /** The bridge's program is execute-only, so its process is not dumpable unless this is 1. */
    private Check bridgeMemory() {
        return files.sysctlNumber("fs.suid_dumpable") == 1
                ? Check.weak(
                        "bridge memory",
                        "fs.suid_dumpable is 1: a tool in a sandbox can read and write the memory of its bridge",
                        "sysctl fs.suid_dumpable=0")
                : Check.ok("bridge memory", "not accessible to tools in its sandbox");
    }
}
