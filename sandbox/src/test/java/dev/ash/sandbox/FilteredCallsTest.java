package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.exec;
import static dev.ash.sandbox.TestBed.run;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.sandbox.seccomp.ExpectedVerdict;
import dev.ash.sandbox.seccomp.Processor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The system call filter, tested from inside with forbidden calls and ordinary programs. */
@TestInstance(Lifecycle.PER_CLASS)
class FilteredCallsTest {
    private TestBed bed;
    private Sandbox sandbox;

    @BeforeAll
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
        sandbox = bed.manager("serves").launch(bed.spec());
    }

    @AfterAll
    void close() throws IOException {
        if (bed != null) {
            bed.close();
        }
    }

    /** Makes a call that would have another result if the filter allowed it. */
    private String call(String arguments) throws IOException {
        return run(
                sandbox,
                """
                python3 - <<'EOF'
                import ctypes, errno
                libc = ctypes.CDLL(None, use_errno=True)
                answer = libc.syscall(%s)
                print("allowed" if answer >= 0 else errno.errorcode[ctypes.get_errno()])
                EOF
                """
                        .formatted(arguments));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "io_uring_setup | 425, 1, 0",
                "io_uring_register | 427, -1, 0, 0, 0",
                "open_tree | 428, -100, b'/tmp', 1",
                "fsopen | 430, b'tmpfs', 0",
                "keyctl | 250, 0, -3, 0",
                "add_key | 248, b'user', b'a', b'b', 1, -3",
                "userfaultfd | 323, 1",
                "perf_event_open | 298, 0, 0, -1, -1, 0",
                "bpf | 321, 99, 0, 0",
                "ptrace traceme | 101, 0, 0, 0, 0",
                "process_vm_readv | 310, 1, 0, 0, 0, 0, 0",
                "unshare user | 272, 0x10000000",
                "unshare net | 272, 0x40000000",
                "setns | 308, -1, 0",
                "clone new user | 56, 0x10000011, 0, 0, 0, 0",
                "mount | 165, b'none', b'/tmp', b'tmpfs', 0, 0",
                "kcmp | 312, 1, 1, 0, 0, 0",
                "TIOCSTI | 16, 0, 0x5412, b'x'",
                "TIOCSTI with a high bit | 16, 0, 0x100005412, b'x'",
                "TIOCLINUX | 16, 0, 0x541C, b'x'",
                "TIOCSETD | 16, 0, 0x5423, 0",
                "fanotify_init | 300, 0x200, 0",
                "modify_ldt | 154, 0, 0, 0",
                "chroot | 161, b'/'",
                "process_madvise | 440, -1, 0, 0, 0, 0",
                "memfd_secret | 447, 0",
                "statmount | 457, 0, 0, 0, 0",
                "personality | 135, 0x40000",
                "x32 getpid | 0x40000000 + 39"
            })
    void deniesCall(String name, String arguments) throws IOException {
        TestBed.needs(System.getProperty("os.arch").equals("amd64"), "an x86-64 machine");

        assertThat(call(arguments)).as(name).isEqualTo("EPERM");
    }

    /** Compares the kernel's verdict on every number, socket family and checked argument. */
    @Test
    void filtersEveryCallAsTheTableRequires() throws IOException {
        TestBed.needs(System.getProperty("os.arch").equals("amd64"), "an x86-64 machine");
        String probe;
        try (var in = TestBed.class.getResourceAsStream("/probe_system_calls.py")) {
            probe = new String(in.readAllBytes(), UTF_8);
        }
        var result = exec(sandbox, "python3 - <<'EOF'\n" + probe + "\nEOF\n");
        var lines = result.stdout().lines().toList();

        assertThat(lines).as(result.stderr()).hasSizeGreaterThan(15_000).last().isEqualTo("done");
        var expected = new ExpectedVerdict(Processor.X86_64);
        for (var line : lines.subList(0, lines.size() - 1)) {
            var fields = line.split(" ", -1);
            int verdict =
                    expected.of(
                            (int) Long.parseLong(fields[0]),
                            (int) Long.parseLong(fields[1]),
                            (int) Long.parseLong(fields[2]),
                            (int) Long.parseLong(fields[3]));
            var errno = Integer.toString(verdict & 0xFFFF);
            assertThat(fields[4])
                    .as("system call number and arguments: " + line)
                    .isEqualTo(verdict == ExpectedVerdict.ALLOW ? "allow" : errno);
        }
    }

    @Test
    void reportsClone3AsNotImplemented() throws IOException {
        assertThat(call("435, 0, 0")).isEqualTo("ENOSYS");
        assertThat(call("39")).isEqualTo("allowed"); // getpid: verifies that the test works
    }

    @Test
    void filtersPidOneToo() throws IOException {
        assertThat(run(sandbox, "grep -h Seccomp: /proc/1/status /proc/self/status"))
                .isEqualTo("Seccomp:\t2\nSeccomp:\t2");
    }

    @Test
    void pythonRunsThreadsAndProcesses() throws IOException {
        assertThat(
                        run(
                                sandbox,
                                """
                                python3 -c "
                                import threading, subprocess, multiprocessing, asyncio
                                t = threading.Thread(target=lambda: print('thread', flush=True)); t.start(); t.join()
                                print(subprocess.check_output(['echo', 'process']).decode(), end='', flush=True)
                                async def main():
                                    p = await asyncio.create_subprocess_exec('echo', 'async'); await p.wait()
                                asyncio.run(main())
                                "
                                """))
                .isEqualTo("thread\nprocess\nasync");
    }

    @Test
    void runsGit() throws IOException {
        TestBed.needs(Files.isExecutable(Path.of("/usr/bin/git")), "git");
        assertThat(
                        run(
                                sandbox,
                                """
                                mkdir repo && cd repo && git init -q . && echo a > a && git add a &&
                                git -c user.name=a -c user.email=a@b commit -qm one && git log --format=%s &&
                                git clone -q . ../clone && git -C ../clone status --short && git gc -q && git fsck 2>&1
                                """))
                .startsWith("one");
    }

    @Test
    void runsNode() throws IOException {
        TestBed.needs(Files.isExecutable(Path.of("/usr/bin/node")), "node");
        assertThat(
                        run(
                                sandbox,
                                """
                                node -e '
                                const {Worker} = require("worker_threads");
                                const {execSync} = require("child_process");
                                require("fs").promises.readFile("/etc/passwd").then(() => {
                                  new Worker("1", {eval: true}).on("exit", code =>
                                    console.log("worker", code, execSync("echo child").toString().trim()));
                                });'
                                """))
                .isEqualTo("worker 0 child");
    }

    @Test
    void runsJavacAndJava() throws IOException {
        TestBed.needs(Files.isExecutable(Path.of("/usr/bin/javac")), "javac");
        var result =
                exec(
                        sandbox,
                        """
                        mkdir -p j && cd j && cat > A.java <<'EOF'
                        public class A {
                            public static void main(String[] a) throws Exception {
                                var t = new Thread(() -> System.out.println("thread"));
                                t.start();
                                t.join();
                                System.out.println(new ProcessBuilder("true").start().waitFor());
                            }
                        }
                        EOF
                        javac A.java && java -cp . A
                        """);

        assertThat(result.stdout()).isEqualTo("thread\n0\n");
        assertThat(result.exitCode()).isZero();
    }
}
