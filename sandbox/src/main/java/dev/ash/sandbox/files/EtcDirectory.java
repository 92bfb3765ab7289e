package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Mount;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The {@code /etc} of sandboxes: a single user, files of the host that programs below {@code /usr}
 * require, and, if the network of the host is accessible, its name resolution.
 */
public final class EtcDirectory {
    /** Contains {@code ssl/certs}, not {@code ssl}, which holds private keys. */
    private static final List<String> MOUNTED =
            List.of(
                    "alternatives",
                    "ld.so.cache",
                    "ssl/certs",
                    "pki/ca-trust/extracted",
                    "pki/tls/certs");

    private static final List<String> COPIED =
            List.of("localtime", "os-release", "protocols", "services", "ssl/openssl.cnf");

    private static final String LOOPBACK = "127.0.0.1 localhost\n::1 localhost\n";

    private static final String PASSWD =
            """
            agent:x:1000:1000:agent:/home/agent:/bin/bash
            nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
            """;

    /** Which host names resolve inside. */
    public enum NameResolution {
        LOOPBACK,
        HOST
    }

    private final Path directory;
    private final Path hostEtc;
    private final NameResolution resolution;
    private final List<Mount> mounts;

    private EtcDirectory(Path directory, Path hostEtc, NameResolution resolution)
            throws IOException {
        this.directory = directory;
        this.hostEtc = hostEtc;
        this.resolution = resolution;
        this.mounts = List.copyOf(fill());
    }

    /** Creates the directory; {@code hostEtc} is the host's {@code /etc}. */
    public static EtcDirectory prepare(Path directory, Path hostEtc, NameResolution resolution)
            throws IOException {
        return new EtcDirectory(directory, hostEtc, resolution);
    }

    /** Returns the mounts in order. */
    public List<Mount> mounts() {
        return mounts;
    }

    /** Writes the files and creates the mount points. */
    private List<Mount> fill() throws IOException {
        write("passwd", PASSWD);
        write("group", "agent:x:1000:\nnogroup:x:65534:\n");
        write("hostname", "sandbox\n");
        write("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
        for (var name : COPIED) {
            if (Files.isReadable(hostEtc.resolve(name))) {
                write(name, Files.readAllBytes(hostEtc.resolve(name)));
            }
        }
        refresh();
        var all = new ArrayList<Mount>();
        all.add(Mount.readOnly(directory, "/etc"));
        for (var name : mountedNames()) {
            var source = hostEtc.resolve(name);
            createMountPoint(source, name);
            all.add(Mount.readOnly(source, "/etc/" + name));
        }
        return all;
    }

    /** Updates the name resolution, which changes while a server runs (another network, a VPN). */
    public void refresh() throws IOException {
        boolean loopback = resolution == NameResolution.LOOPBACK;
        write("resolv.conf", loopback ? bytes("") : contentOf("resolv.conf", ""));
        var hosts = new ByteArrayOutputStream();
        hosts.writeBytes(loopback ? bytes(LOOPBACK) : contentOf("hosts", LOOPBACK));
        hosts.writeBytes(bytes("\n127.0.0.1 sandbox\n"));
        write("hosts", hosts.toByteArray());
    }

    private List<String> mountedNames() throws IOException {
        var names = new ArrayList<>(MOUNTED);
        try (DirectoryStream<Path> javas = Files.newDirectoryStream(hostEtc, "java-*-openjdk")) {
            javas.forEach(java -> names.add(java.getFileName().toString()));
        }
        names.removeIf(name -> !Files.isReadable(hostEtc.resolve(name)));
        names.sort(null);
        return names;
    }

    private void createMountPoint(Path source, String name) throws IOException {
        createParents(name);
        var point = directory.resolve(name);
        if (Files.isDirectory(source)) {
            FileModes.createDirectory(point, FileModes.READABLE);
        } else if (Files.notExists(point)) {
            Files.createFile(point);
        }
    }

    private void createParents(String name) throws IOException {
        for (int slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
            FileModes.createDirectory(
                    directory.resolve(name.substring(0, slash)), FileModes.READABLE);
        }
    }

    private byte[] contentOf(String name, String fallback) throws IOException {
        var file = hostEtc.resolve(name);
        return Files.isReadable(file) ? Files.readAllBytes(file) : bytes(fallback);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void write(String name, String text) throws IOException {
        write(name, bytes(text));
    }

    /** Replaces a file atomically, because sandboxes read concurrently; skips unchanged files. */
    private void write(String name, byte[] content) throws IOException {
        var file = directory.resolve(name);
        if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), content)) {
            return;
        }
        createParents(name);
        var draft = Files.createTempFile(directory, ".draft", "");
        Files.write(draft, content);
        FileModes.set(draft, "rw-r--r--");
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
