package dev.ash.e2e.isolation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One escape attempt. The command prints {@code ESCAPED} if and only if it succeeds; {@code @NAME@}
 * stands for a value of the host.
 */
record Attempt(String name, String command) {
    String with(Map<String, String> host) {
        var text = command;
        for (var entry : host.entrySet()) {
            text = text.replace("@" + entry.getKey() + "@", entry.getValue());
        }
        return text;
    }

    @Override
    public String toString() {
        return name;
    }

    private static Attempt shell(String name, String command) {
        return new Attempt(name, command);
    }

    /** Creates an attempt by a program that prints ESCAPED. */
    static Attempt python(String name, String... lines) {
        return new Attempt(
                name,
                "timeout 20 python3 - <<'PROGRAM'\n" + String.join("\n", lines) + "\nPROGRAM");
    }

    /** Creates an attempt by a system call, which succeeds if the call returns no error. */
    static Attempt call(String name, int number, String arguments) {
        return python(
                "system call " + name,
                "import ctypes",
                "libc = ctypes.CDLL(None, use_errno=True)",
                "r = libc.syscall(%d%s)"
                        .formatted(number, arguments.isEmpty() ? "" : ", " + arguments),
                "print('ESCAPED' if r >= 0 else 'refused: %d' % ctypes.get_errno())");
    }

    private static Attempt connect(String name, String family, String address) {
        return python(
                "reach " + name,
                "import socket",
                "s = socket.socket(socket.%s, socket.SOCK_STREAM)".formatted(family),
                "s.settimeout(5)",
                "try:",
                "    s.connect(%s)".formatted(address),
                "    print('ESCAPED')",
                "except OSError as e:",
                "    print('refused:', e)");
    }

    private static Attempt viaProxy(String name, String url) {
        return shell(
                "reach " + name + " through the proxy",
                "code=$(curl -s -m 10 -o /tmp/answer -w '%{http_code}' -x \"$HTTP_PROXY\" '"
                        + url
                        + "'); case $code in 2??|3??) echo ESCAPED;; *) echo refused $code;; esac");
    }

    static List<Attempt> files() {
        return List.of(
                shell("read a file of the host", "grep -q CANARY '@SECRET@' && echo ESCAPED"),
                shell(
                        "read it through /proc/1/root",
                        "grep -q CANARY '/proc/1/root/@SECRET@' && echo ESCAPED"),
                shell("read the host's shadow file", "grep -q . /etc/shadow && echo ESCAPED"),
                shell("list users of the host", "grep -q '^daemon:' /etc/passwd && echo ESCAPED"),
                shell("read the database", "head -c 15 '@DATA@/ash.db' && echo ESCAPED"),
                shell("read the sealing key", "cat '@DATA@/sealing-key' && echo ESCAPED"),
                shell("read the first API key", "cat '@DATA@/initial-api-key' && echo ESCAPED"),
                shell("list the data directory", "ls '@DATA@' && echo ESCAPED"),
                shell("read another session's workspace", "cat '@OTHER_SESSION@' && echo ESCAPED"),
                shell("find other sessions", "ls -d /workspace/../*/workspace && echo ESCAPED"),
                shell("write to the system", "echo x > /usr/bin/planted && echo ESCAPED"),
                shell("write to /etc", "echo x > /etc/planted && echo ESCAPED"),
                shell("write to the root", "mkdir /planted && echo ESCAPED"),
                shell("write to the bridge's program", "echo x > /opt/ash/planted && echo ESCAPED"),
                shell(
                        "write to the agent's directory",
                        "echo x > /opt/agent/planted && echo ESCAPED"),
                shell(
                        "create a file next to the proxy socket",
                        "echo x > /run/egress/x && echo ESCAPED"),
                shell(
                        "remove the proxy socket",
                        "rm -f /run/egress/proxy.sock 2>/dev/null; [ -e /run/egress/proxy.sock ] || echo ESCAPED"),
                shell(
                        "replace the proxy socket",
                        "ln -sf /tmp/mine /run/egress/proxy.sock && echo ESCAPED"),
                shell(
                        "keep a set-uid program",
                        "cp /bin/sh /tmp/su && chmod 4755 /tmp/su && [ \"$(/tmp/su -p -c 'id -u')\" = 0 ] && echo ESCAPED"),
                shell("create a device", "mknod /tmp/disk b 8 0 && echo ESCAPED"),
                shell(
                        "read the kernel's memory",
                        "head -c 1 /dev/mem && echo ESCAPED; head -c 1 /proc/kcore && echo ESCAPED"),
                shell(
                        "read a disk",
                        "cat /dev/sda /dev/vda /dev/nvme0n1 2>/dev/null | head -c 1 | grep -q . && echo ESCAPED"),
                shell(
                        "change the kernel's settings",
                        "echo x > /proc/sys/kernel/core_pattern && echo ESCAPED"),
                shell(
                        "send a SysRq command to the kernel",
                        "echo h > /proc/sysrq-trigger && echo ESCAPED"),
                shell("list control groups", "ls /sys/fs/cgroup && echo ESCAPED"),
                shell(
                        "write a release agent",
                        "mkdir -p /tmp/cg && mount -t cgroup -o rdma cgroup /tmp/cg && echo ESCAPED"));
    }

    static List<Attempt> processes() {
        return List.of(
                shell(
                        "list processes of the host",
                        "[ $(ls -d /proc/[0-9]* | wc -l) -gt 60 ] && echo ESCAPED"),
                shell(
                        "find the server's environment",
                        "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q CANARY && echo ESCAPED"),
                shell(
                        "find the server's arguments",
                        "cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q 'Server[M]ain' && echo ESCAPED"),
                shell(
                        "find the host's paths in its own command line",
                        "tr '\\0' '\\n' < /proc/1/cmdline | grep -q '@DATA@' && echo ESCAPED"),
                shell(
                        "become root",
                        "su -c id 2>/dev/null && echo ESCAPED; sudo -n id 2>/dev/null && echo ESCAPED"),
                shell(
                        "have capabilities",
                        "grep -q '^CapEff:.*[1-9a-f]' /proc/self/status && echo ESCAPED"),
                shell(
                        "gain privileges by exec",
                        "grep -q '^NoNewPrivs:.*0' /proc/self/status && echo ESCAPED"),
                shell(
                        "run without a system call filter",
                        "grep -q '^Seccomp:.*0' /proc/self/status && echo ESCAPED"),
                shell("create a user namespace", "unshare -Ur id && echo ESCAPED"),
                shell("create a mount namespace", "unshare -m true && echo ESCAPED"),
                shell("enter a namespace", "nsenter -t 1 -m true && echo ESCAPED"),
                shell("mount", "mount -t tmpfs none /tmp && echo ESCAPED"),
                shell(
                        "mount another /proc",
                        "mkdir -p /tmp/p && mount -t proc none /tmp/p && echo ESCAPED"),
                shell("change the root", "chroot / true && echo ESCAPED"),
                shell(
                        "signal a process of the host",
                        "kill -0 @SERVER@ 2>/dev/null && grep -q 'Server[M]ain' /proc/@SERVER@/cmdline && echo ESCAPED"),
                shell("change the host's name", "hostname owned && echo ESCAPED"),
                shell("write a core file", "[ \"$(ulimit -c)\" != 0 ] && echo ESCAPED"),
                shell("raise its own limits", "ulimit -n 1000000 && echo ESCAPED"),
                python(
                        "inject input into the server's terminal",
                        "import fcntl, termios",
                        "try:",
                        "    fcntl.ioctl(0, termios.TIOCSTI, b'x')",
                        "    print('ESCAPED')",
                        "except OSError as e:",
                        "    print('refused:', e)"));
    }

    /**
     * Creates an attempt on the bridge, which has the same user; {@code bridge} is its pid in the
     * sandbox.
     */
    private static Attempt onBridge(String name, String... lines) {
        var program = new ArrayList<String>();
        program.add("import ctypes, os, signal, time");
        program.add("def of(pid): return open('/proc/%s/cmdline' % pid).read()");
        program.add("pids = [p for p in os.listdir('/proc') if p.isdigit()]");
        program.add("found = [int(p) for p in pids if 'Bridge' + 'Main' in of(p)]");
        program.add("bridge = [p for p in found if p != 1][0]");
        program.add("try:");
        for (var line : lines) {
            program.add("    " + line);
        }
        program.add("except OSError as e:");
        program.add("    print('refused:', e)");
        return python(name, program.toArray(String[]::new));
    }

    static List<Attempt> bridge() {
        return List.of(
                shell(
                        "read the nonce of the bridge",
                        "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q '^ASH_BRIDGE_NONCE=' && echo ESCAPED"),
                shell(
                        "read the nonce from the first process's input",
                        "timeout 5 cat /proc/1/fd/0 | grep -q . && echo ESCAPED"),
                onBridge(
                        "read the bridge's environment",
                        "open('/proc/%d/environ' % bridge).read()",
                        "print('ESCAPED')"),
                onBridge(
                        "read the bridge's memory",
                        "open('/proc/%d/mem' % bridge, 'rb')",
                        "print('ESCAPED')"),
                onBridge(
                        "write the bridge's memory",
                        "open('/proc/%d/mem' % bridge, 'r+b')",
                        "print('ESCAPED')"),
                onBridge(
                        "list the bridge's descriptors",
                        "os.listdir('/proc/%d/fd' % bridge)",
                        "print('ESCAPED')"),
                onBridge(
                        "duplicate a descriptor of the bridge",
                        "libc = ctypes.CDLL(None)",
                        "pidfd = os.pidfd_open(bridge)",
                        "got = [libc.syscall(438, pidfd, n, 0) for n in range(20)]",
                        "print('ESCAPED' if max(got) >= 0 else 'refused')"),
                onBridge(
                        "load code into the bridge",
                        "open('/tmp/.attach_pid%d' % bridge, 'w').close()",
                        "os.kill(bridge, signal.SIGQUIT)",
                        "for i in range(20):",
                        "    if os.path.exists('/tmp/.java_pid%d' % bridge): print('ESCAPED'); break",
                        "    time.sleep(0.1)"));
    }

    /** Returns attempts by system call numbers of x86-64. */
    static List<Attempt> calls() {
        return List.of(
                call("mount", 165, "0, b'/tmp', b'tmpfs', 0, 0"),
                call("umount2", 166, "b'/tmp', 0"),
                call("pivot_root", 155, "b'/tmp', b'/tmp'"),
                call("ptrace attach", 101, "16, 1, 0, 0"),
                call("process_vm_readv", 310, "1, 0, 0, 0, 0, 0"),
                call("bpf", 321, "0, 0, 0"),
                call("keyctl", 250, "0, -3, 0"),
                call("add_key", 248, "b'user', b'k', b'v', 1, -3"),
                call("kexec_load", 246, "0, 0, 0, 0"),
                call("init_module", 175, "0, 0, b''"),
                call("finit_module", 313, "0, b'', 0"),
                call("userfaultfd", 323, "0"),
                call("perf_event_open", 298, "0, 0, -1, -1, 0"),
                call("io_uring_setup", 425, "1, 0"),
                call("unshare user", 272, "0x10000000"),
                call("setns", 308, "0, 0"),
                call("clone3 user", 435, "0, 0"),
                call("open_by_handle_at", 304, "0, 0, 0"),
                call("fsopen", 430, "b'tmpfs', 0"),
                call("open_tree", 428, "-100, b'/', 1"),
                call("move_mount", 429, "0, b'', 0, b'', 0"),
                call("reboot", 169, "0xfee1dead, 672274793, 0, 0"),
                call("swapon", 167, "b'/tmp/x', 0"),
                call("settimeofday", 164, "0, 0"),
                call("iopl", 172, "3"),
                call("syslog", 103, "3, 0, 0"));
    }

    static List<Attempt> network() {
        return List.of(
                connect("a service on the host's loopback", "AF_INET", "('127.0.0.1', @PORT@)"),
                connect("a service on the IPv6 loopback", "AF_INET6", "('::1', @PORT@)"),
                connect("the server's API", "AF_INET", "('127.0.0.1', @API@)"),
                connect("an address of the host", "AF_INET", "('@ADDRESS@', @PORT@)"),
                connect("the metadata service", "AF_INET", "('169.254.169.254', 80)"),
                connect("a public address", "AF_INET", "('1.1.1.1', 443)"),
                connect("an abstract socket of the host", "AF_UNIX", "'\\0@ABSTRACT@'"),
                connect("a socket file of the host", "AF_UNIX", "'@SOCKET@'"),
                connect("another session's bridge", "AF_UNIX", "'@BRIDGE@'"),
                shell("resolve a host name", "timeout 5 getent hosts example.com && echo ESCAPED"),
                python(
                        "send a datagram to a name server",
                        "import socket",
                        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
                        "try:",
                        "    s.sendto(b'x', ('8.8.8.8', 53))",
                        "    print('ESCAPED')",
                        "except OSError as e:",
                        "    print('refused:', e)"),
                python(
                        "send raw packets",
                        "import socket",
                        "try:",
                        "    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
                        "    print('ESCAPED')",
                        "except OSError as e:",
                        "    print('refused:', e)"),
                shell(
                        "have an interface besides lo",
                        "[ $(ls /sys/class/net 2>/dev/null | grep -vc '^lo$') -gt 0 ] && echo ESCAPED"),
                viaProxy("the host's loopback", "http://127.0.0.1:@PORT@/"),
                viaProxy("the loopback by name", "http://localhost:@PORT@/"),
                viaProxy("the loopback as a number", "http://2130706433:@PORT@/"),
                viaProxy("the loopback in octal", "http://0177.0.0.1:@PORT@/"),
                viaProxy("the loopback by zero", "http://0.0.0.0:@PORT@/"),
                viaProxy("the loopback by IPv6", "http://[::1]:@PORT@/"),
                viaProxy("the loopback as a mapped address", "http://[::ffff:127.0.0.1]:@PORT@/"),
                viaProxy("the metadata service", "http://169.254.169.254/latest/meta-data/"),
                viaProxy("an address of the host", "http://@ADDRESS@:@PORT@/"),
                viaProxy("a host with a trailing dot", "http://localhost.:@PORT@/"),
                viaProxy(
                        "a host after user information",
                        "http://allowed.example@127.0.0.1:@PORT@/"),
                shell(
                        "tunnel to the host's loopback",
                        "curl -s -m 10 -p -x \"$HTTP_PROXY\" http://127.0.0.1:@PORT@/ | grep -q CANARY && echo ESCAPED"),
                shell(
                        "use its own key with the model API",
                        "curl -s -m 10 -o /dev/null -w '%{http_code}' --unix-socket /run/egress/proxy.sock -H 'x-api-key: sk-mine' http://model/v1/models | grep -q 200 && echo ESCAPED"),
                shell(
                        "read files stored at the model provider",
                        "curl -s -m 10 -o /dev/null -w '%{http_code}' --unix-socket /run/egress/proxy.sock -H \"x-api-key: $ANTHROPIC_API_KEY\" http://model/v1/files | grep -q 200 && echo ESCAPED"));
    }

    /**
     * Returns harmless attempts that succeed without isolation, which shows that they can succeed.
     */
    static Stream<Attempt> harmless() {
        var names =
                List.of(
                        "read a file of the host",
                        "read the database",
                        "read the sealing key",
                        "read another session's workspace",
                        "find the server's environment",
                        "find the server's arguments",
                        "signal a process of the host",
                        "system call chroot",
                        "system call personality without ASLR",
                        "system call socket NETLINK_GENERIC",
                        "reach a service on the host's loopback",
                        "reach the server's API",
                        "reach an address of the host",
                        "reach an abstract socket of the host",
                        "reach a socket file of the host",
                        "have an interface besides lo");
        return all().filter(attempt -> names.contains(attempt.name()));
    }

    static Stream<Attempt> all() {
        return Stream.of(
                        files(),
                        processes(),
                        bridge(),
                        calls(),
                        SystemCallAttempts.calls(),
                        SystemCallAttempts.sockets(),
                        network())
                .flatMap(List::stream);
    }
}
