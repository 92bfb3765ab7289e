package dev.ash.bench.floor;

import dev.ash.bench.server.WorkDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * A sandbox that runs {@code /bin/true}, with the namespaces and mounts of a session's sandbox but
 * without its control group, system call filter and proxy.
 */
public final class BareBubblewrap {
    private static final String UID = "65534";

    private final List<String> command;

    private BareBubblewrap(List<String> command) {
        this.command = command;
    }

    public static BareBubblewrap in(WorkDirectory work) throws IOException {
        var directory = work.directory("bwrap");
        for (var name : List.of("tmp", "home", "workspace")) {
            Files.setPosixFilePermissions(
                    Files.createDirectory(directory.resolve(name)),
                    PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        return new BareBubblewrap(command(directory));
    }

    private static List<String> command(Path directory) {
        var line = new ArrayList<String>();
        line.add("setsid");
        if ("root".equals(System.getProperty("user.name"))) {
            line.addAll(List.of("setpriv", "--reuid=" + UID, "--regid=" + UID, "--clear-groups"));
            line.addAll(List.of("--no-new-privs", "--"));
        }
        line.addAll(List.of("bwrap", "--unshare-all", "--unshare-user", "--disable-userns"));
        line.addAll(List.of("--uid", "1000", "--gid", "1000", "--hostname", "sandbox"));
        line.addAll(List.of("--new-session", "--cap-drop", "ALL", "--ro-bind", "/usr", "/usr"));
        for (var name : List.of("bin", "sbin", "lib", "lib64")) {
            line.addAll(List.of("--symlink", "usr/" + name, "/" + name));
        }
        line.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
        line.addAll(List.of("--bind", directory.resolve("tmp").toString(), "/tmp"));
        line.addAll(List.of("--bind", directory.resolve("home").toString(), "/home/agent"));
        line.addAll(List.of("--bind", directory.resolve("workspace").toString(), "/workspace"));
        line.addAll(List.of("--remount-ro", "/", "--chdir", "/workspace", "/bin/true"));
        return line;
    }

    /** Runs it and returns the milliseconds from its start to its exit. */
    public double millis() throws IOException, InterruptedException {
        return Processes.millis(command);
    }
}
