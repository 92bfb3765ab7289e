package dev.ash.server.tls;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The certificates of the server's TLS listeners. A listener has the operator's certificate where
 * its settings name one; all others share one self-signed certificate in {@code gateway.p12} of the
 * data directory. The REST listener also uses the gateway's files where it has none of its own.
 *
 * <p>{@link #rotate} replaces the certificates while the server runs. Guarded by its own lock.
 */
public final class Certificates implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.tls");
    private static final Duration EXPIRES_SOON = Duration.ofDays(30);

    private final Path pem;
    private final Optional<PemFiles> restFiles;
    private final Optional<PemFiles> gatewayFiles;
    private final Duration checkEvery;

    /** Keyed by where they come from; empty is the self-signed certificate. */
    private final Map<Optional<PemFiles>, ServerCertificate> open = new HashMap<>();

    private final Map<PemFiles, List<FileTime>> read = new HashMap<>();
    private SelfSigned selfSigned;
    private boolean restIsOpen;
    private boolean gatewayIsOpen;
    private @Nullable Thread watcher;

    /** The certificates in use, by SHA-256; empty for a listener that does not use TLS. */
    public record Fingerprints(Optional<String> rest, Optional<String> gateway) {}

    /**
     * Opens nothing yet.
     *
     * @param passwords of {@code gateway.p12}: the first is current; a store that only one of the
     *     others opens is written again under the first
     */
    public Certificates(
            Path dataDir,
            List<String> passwords,
            Optional<PemFiles> restFiles,
            Optional<PemFiles> gatewayFiles,
            Duration checkEvery) {
        this.selfSigned = new SelfSigned(dataDir.resolve("gateway.p12"), passwords);
        this.pem = dataDir.resolve("tls-cert.pem");
        this.restFiles = restFiles.or(() -> gatewayFiles);
        this.gatewayFiles = gatewayFiles;
        this.checkEvery = checkEvery;
    }

    /** The certificate of the REST listener; it is also written to {@code tls-cert.pem}. */
    public synchronized ServerCertificate rest() throws IOException, InterruptedException {
        var certificate = certificate(restFiles);
        if (!restIsOpen) {
            restIsOpen = true;
            writePem(certificate.usedBy(this::writePem));
        }
        return certificate;
    }

    public synchronized ServerCertificate gateway() throws IOException, InterruptedException {
        var certificate = certificate(gatewayFiles);
        gatewayIsOpen = true;
        return certificate;
    }

    /**
     * Makes the self-signed certificate that the next {@link #rotate} takes into use and returns
     * its SHA-256, so that clients can be told before it changes.
     */
    public synchronized String prepare() throws IOException, InterruptedException {
        return selfSigned.prepare().sha256();
    }

    /**
     * Replaces the self-signed certificate by a new key pair, or by the prepared one, and reads the
     * operator's files again. Listeners use the new certificates at once; open connections stay
     * open. May be repeated after a crash at any point: the store on disk is always a whole one.
     */
    public synchronized Fingerprints rotate() throws IOException, InterruptedException {
        var own = open.get(Optional.<PemFiles>empty());
        if (own != null) {
            own.replace(selfSigned.rotate());
        } else if (selfSigned.exists()) {
            selfSigned.rotate(); // a listener may use it after a change of the settings
        }
        for (var entry : open.entrySet()) {
            if (entry.getKey().isPresent()) {
                entry.getValue().replace(read(entry.getKey().get()));
            }
        }
        return fingerprints();
    }

    /** Encrypts {@code gateway.p12} under another password; the certificate stays the same. */
    public synchronized void changePassword(String password) throws IOException {
        selfSigned = selfSigned.withPassword(password);
    }

    public synchronized Fingerprints fingerprints() {
        return new Fingerprints(
                Optional.ofNullable(restIsOpen ? open.get(restFiles) : null)
                        .map(certificate -> certificate.current().sha256()),
                Optional.ofNullable(gatewayIsOpen ? open.get(gatewayFiles) : null)
                        .map(certificate -> certificate.current().sha256()));
    }

    private ServerCertificate certificate(Optional<PemFiles> source)
            throws IOException, InterruptedException {
        var known = open.get(source);
        if (known != null) {
            return known;
        }
        var identity = source.isPresent() ? read(source.get()) : selfSigned.open();
        warnOfExpiry(identity);
        var certificate = new ServerCertificate(identity);
        open.put(source, certificate);
        if (source.isPresent() && watcher == null) {
            watcher = Thread.ofVirtual().name("certificate-files").start(this::watch);
        }
        return certificate;
    }

    private TlsIdentity read(PemFiles files) {
        var stamp = stamp(files); // taken first: a change during the reading is seen later
        var identity = TlsIdentity.ofFiles(files);
        read.put(files, stamp);
        return identity;
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(checkEvery);
                readChangedFiles();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Files that cannot be used (one of the two is new, say) leave the old certificate in use. */
    private synchronized void readChangedFiles() {
        for (var entry : open.entrySet()) {
            var files = entry.getKey().orElse(null);
            if (files == null) {
                continue;
            }
            var stamp = stamp(files); // before reading: a change meanwhile is seen the next time
            if (stamp.equals(read.get(files))) {
                continue;
            }
            try {
                entry.getValue().replace(read(files));
                LOG.log(
                        System.Logger.Level.INFO,
                        "Read the new certificate {0}; its SHA-256 is {1}",
                        files.certificates(),
                        entry.getValue().current().sha256());
            } catch (ApiException e) {
                read.put(files, stamp); // warn once for each change
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}. The earlier certificate stays in use",
                        e.message());
            }
        }
    }

    private static List<FileTime> stamp(PemFiles files) {
        return List.of(modified(files.certificates()), modified(files.key()));
    }

    private static FileTime modified(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            return FileTime.fromMillis(0); // missing; reading it says so
        }
    }

    private static void warnOfExpiry(TlsIdentity identity) {
        if (identity.expiresAt().isBefore(Instant.now().plus(EXPIRES_SOON))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The certificate {0} expires at {1}; clients refuse it after that. Replace it:"
                            + " ash secrets rotate, or new files",
                    identity.sha256(),
                    identity.expiresAt());
        }
    }

    /** Readable by every user of the host, who may pass it to a client. */
    private void writePem(TlsIdentity identity) {
        try {
            var draft = pem.resolveSibling(pem.getFileName() + ".draft");
            Files.writeString(draft, identity.pem());
            Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(draft, pem, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "The certificate cannot be written to " + pem, e);
        }
    }

    @Override
    public synchronized void close() {
        if (watcher != null) {
            watcher.interrupt();
        }
    }
}
