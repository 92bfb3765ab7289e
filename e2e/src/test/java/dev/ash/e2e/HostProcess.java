package dev.ash.e2e;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Every kind of process that the server or the sandbox module starts without the isolation of a
 * sandbox, each with its reason. {@link LaunchPathTest} holds the classes that start them to this
 * list, and the isolation inventory every process that it sees.
 *
 * <p>What is not here must run inside: behind bubblewrap, with the filter of system calls, in a
 * control group of its own.
 */
public enum HostProcess {
    SPAWN_HELPER(
            "java.lang.ProcessBuilder",
            ".*/jspawnhelper .*",
            "the JDK's own helper between fork and exec of every child; it reads nothing"),
    SERVER_FORK(
            "java.lang.ProcessBuilder",
            ".* dev\\.ash\\.server\\.ServerMain",
            "the server's own copy for the moment between fork and exec of the helper"),
    LAUNCH_SCRIPT(
            "dev.ash.sandbox.launch.LaunchScript",
            "/bin/sh -c (ulimit -c 0 .*|while \\[ .*|exec <\"\\$1\" .*)",
            "lines of the server's that set limits, join the control group and open files; they are"
                    + " gone by exec before any content is touched"),
    CLEAN_ENVIRONMENT(
            "dev.ash.sandbox.launch.LaunchScript",
            "/usr/bin/env -u PWD .*",
            "a step of the launch line, gone by exec"),
    SESSION_AND_USER(
            "dev.ash.sandbox.launch.HostTools",
            "(/\\S*/setsid|/\\S*/setpriv) .*",
            "steps of the launch line that leave the server's session and user, gone by exec"),
    BUBBLEWRAP(
            "dev.ash.sandbox.launch.Bubblewrap",
            "/\\S*/bwrap --args .*",
            "waits outside for the first process inside; it runs no content, has no new privileges"
                    + " and is in the launch's control group"),
    DELETE(
            "dev.ash.sandbox.files.DirectoryTrees",
            "(rm -rf|chmod -R u\\+rwX) -- .*",
            "removes a tree too deep or unreadable for the JVM; runs no content, follows no link, and"
                    + " no process of the sandbox is left that could change the tree meanwhile"),
    COPY(
            "dev.ash.sandbox.files.DirectoryTrees",
            "(cp -a --reflink=auto --|find|chown -R -h -P) .*",
            "copies a tree for a fork and gives it to its user; runs no content, follows no link, and"
                    + " no process of the sandbox is left that could change the tree meanwhile"),
    DISK_IMAGE(
            "dev.ash.sandbox.disk.MountTools",
            "/\\S*/(mkfs\\.ext4|e2fsck) .*",
            "formats the image of a sandbox, or repairs it after a fault of the disk; all arguments"
                    + " are the server's, and agents never write to the image but through the kernel"),
    TRAINING(
            "dev.ash.sandbox.files.AotTraining",
            ".*/bin/java .* --train",
            "records class data of Ash's own bridge once per version; no content of an agent"),
    PROBE(
            "dev.ash.sandbox.IsolationProbe",
            "(?!)", // its processes are those of a launch
            "tries the launch line at the start, with a program that does nothing"),
    GROUP_TRIAL(
            "dev.ash.sandbox.HostSetup",
            "(?!)", // its process is a launch script
            "tries at the start which control groups a process can join"),
    KEYTOOL(
            "dev.ash.server.tls.SelfSignedCertificate",
            ".*/bin/keytool -genkeypair .*",
            "makes the gateway's certificate once; all its arguments are the server's");

    private final String starter;
    private final Pattern command;
    private final String reason;

    HostProcess(String starter, String command, String reason) {
        this.starter = starter;
        this.command = Pattern.compile(command, Pattern.DOTALL);
        this.reason = reason;
    }

    /** The kind of a process outside of sandboxes, by its command line with spaces. */
    public static Optional<HostProcess> of(String command) {
        return Arrays.stream(values())
                .filter(kind -> kind.command.matcher(command).matches())
                .findFirst();
    }

    /** Whether a class may start processes without the launch path. */
    static boolean isStartedBy(String type) {
        return Arrays.stream(values()).anyMatch(kind -> kind.starter.equals(type));
    }

    public String reason() {
        return reason;
    }
}
