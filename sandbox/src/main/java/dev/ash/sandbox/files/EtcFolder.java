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
 * The {@code /etc} of sandboxes: one user, and, bound from the host, what programs below {@code
 * /usr} cannot do without. Nothing else of the host's, but how names resolve for those that may
 * reach its network.
 */
public final class EtcFolder {
    /** {@code ssl/certs} and not {@code ssl}: that holds private keys. */
    private static final List<String> BOUND =
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

    /** Which names resolve inside. */
    public enum Names {
        ITS_OWN,
        HOSTS
    }

    private final Path folder;
    private final Path hosts;
    private final Names names;
    private final List<Mount> mounts;

    private EtcFolder(Path folder, Path hosts, Names names) throws IOException {
        this.folder = folder;
        this.hosts = hosts;
        this.names = names;
        this.mounts = List.copyOf(fill());
    }

    /** Makes the folder; {@code hosts} is the host's own {@code /etc}. */
    public static EtcFolder prepare(Path folder, Path hosts, Names names) throws IOException {
        return new EtcFolder(folder, hosts, names);
    }

    /** What is to be mounted, in this order. */
    public List<Mount> mounts() {
        return mounts;
    }

    /** Writes the files and makes every mount point. */
    private List<Mount> fill() throws IOException {
        write("passwd", PASSWD);
        write("group", "agent:x:1000:\nnogroup:x:65534:\n");
        write("hostname", "sandbox\n");
        write("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
        for (var name : COPIED) {
            if (Files.isReadable(hosts.resolve(name))) {
                write(name, Files.readAllBytes(hosts.resolve(name)));
            }
        }
        refresh();
        var all = new ArrayList<Mount>();
        all.add(Mount.readOnly(folder, "/etc"));
        for (var name : bound()) {
            var source = hosts.resolve(name);
            makeMountPoint(source, name);
            all.add(Mount.readOnly(source, "/etc/" + name));
        }
        return all;
    }

    /** How names resolve changes while a server runs: another network, a tunnel. */
    public void refresh() throws IOException {
        boolean own = names == Names.ITS_OWN;
        write("resolv.conf", own ? bytes("") : contentOf("resolv.conf", ""));
        var table = new ByteArrayOutputStream();
        table.writeBytes(own ? bytes(LOOPBACK) : contentOf("hosts", LOOPBACK));
        table.writeBytes(bytes("\n127.0.0.1 sandbox\n"));
        write("hosts", table.toByteArray());
    }

    private List<String> bound() throws IOException {
        var names = new ArrayList<>(BOUND);
        try (DirectoryStream<Path> javas = Files.newDirectoryStream(hosts, "java-*-openjdk")) {
            javas.forEach(java -> names.add(java.getFileName().toString()));
        }
        names.removeIf(name -> !Files.isReadable(hosts.resolve(name)));
        names.sort(null);
        return names;
    }

    private void makeMountPoint(Path source, String name) throws IOException {
        makeParents(name);
        var point = folder.resolve(name);
        if (Files.isDirectory(source)) {
            Modes.folder(point, Modes.SHOWN);
        } else if (Files.notExists(point)) {
            Files.createFile(point);
        }
    }

    private void makeParents(String name) throws IOException {
        for (int slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) {
            Modes.folder(folder.resolve(name.substring(0, slash)), Modes.SHOWN);
        }
    }

    private byte[] contentOf(String name, String otherwise) throws IOException {
        var file = hosts.resolve(name);
        return Files.isReadable(file) ? Files.readAllBytes(file) : bytes(otherwise);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void write(String name, String text) throws IOException {
        write(name, bytes(text));
    }

    /** By renaming, since sandboxes read at any time; not at all where nothing changed. */
    private void write(String name, byte[] content) throws IOException {
        var file = folder.resolve(name);
        if (Files.exists(file) && Arrays.equals(Files.readAllBytes(file), content)) {
            return;
        }
        makeParents(name);
        var draft = Files.createTempFile(folder, ".draft", "");
        Files.write(draft, content);
        Modes.set(draft, "rw-r--r--");
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
