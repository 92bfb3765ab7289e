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
 * The certificates of the server's TLS listeners. A listener uses the operator's certificate if
 * configured; all others share one self-signed certificate in {@code gateway.p12} of the data
 * directory. The REST listener falls back to the certificate files of the gateway.
 *
 * <p>{@link #rotate} replaces the certificates while the server runs. Thread-safe.
 */
public final class Certificates implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.tls");
    private static final Duration EXPIRES_SOON = Duration.ofDays(30);

    private final Path pem;
    private final Optional<PemFiles> restFiles;
    private final Optional<PemFiles> gatewayFiles;
    private final Duration checkInterval;

    /** Certificates in use by source; empty is the self-signed certificate. */
    private final Map<Optional<PemFiles>, ServerCertificate> open = new HashMap<>();

    private final Map<PemFiles, List<FileTime>> readTimes = new HashMap<>();
    private SelfSignedCertificate selfSigned;
    private boolean restIsOpen;
    private boolean gatewayIsOpen;
    private @Nullable Thread fileCheck;

    /** The certificates in use, by SHA-256; empty for a listener that does not use TLS. */
    public record Fingerprints(Optional<String> rest, Optional<String> gateway) {}

    /**
     * Does not open any certificate yet.
     *
     * @param passwords of {@code gateway.p12}, the current one first; a store with an earlier
     *     password is encrypted again with the current one
     */
    public Certificates(
            Path dataDir,
            List<String> passwords,
            Optional<PemFiles> restFiles,
            Optional<PemFiles> gatewayFiles,
            Duration checkInterval) {
        this.selfSigned = new SelfSignedCertificate(dataDir.resolve("gateway.p12"), passwords);
        this.pem = dataDir.resolve("tls-cert.pem");
        this.restFiles = restFiles.or(() -> gatewayFiles);
        this.gatewayFiles = gatewayFiles;
        this.checkInterval = checkInterval;
    }

    /** Returns the certificate of the REST listener, and writes it to {@code tls-cert.pem}. */
    public synchronized ServerCertificate rest() throws IOException, InterruptedException {
        var certificate = certificate(restFiles);
        if (!restIsOpen) {
            restIsOpen = true;
            writePem(certificate.subscribe(this::writePem));
        }
        return certificate;
    }

    public synchronized ServerCertificate gateway() throws IOException, InterruptedException {
        var certificate = certificate(gatewayFiles);
        gatewayIsOpen = true;
        return certificate;
    }

    /**
     * Reads the gateway's certificate, if it exists, ahead of {@link #gateway}, which reports any
     * failure.
     */
    public synchronized void preload() {
        try {
            if (gatewayFiles.isPresent() || selfSigned.exists()) {
                certificate(gatewayFiles);
            }
        } catch (IOException | ApiException e) {
            LOG.log(System.Logger.Level.DEBUG, "Cannot read the certificate yet", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Creates the self-signed certificate for the next {@link #rotate} and returns its SHA-256, so
     * that clients can be informed before the change.
     */
    public synchronized String prepare() throws IOException, InterruptedException {
        return selfSigned.prepare().sha256();
    }

    /**
     * Replaces the self-signed certificate by a new key pair, or by the prepared one, and reads the
     * operator's files again. Listeners use the new certificates immediately; open connections
     * continue. Can be repeated after a crash at any point: the store on disk is always complete.
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

    /** Encrypts {@code gateway.p12} with another password; the certificate does not change. */
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
        if (source.isPresent() && fileCheck == null) {
            fileCheck = Thread.ofVirtual().name("certificate-files").start(this::checkFiles);
        }
        return certificate;
    }

    private TlsIdentity read(PemFiles files) {
        var stamp = stamp(files); // before reading: a concurrent change is detected later
        var identity = TlsIdentity.ofFiles(files);
        readTimes.put(files, stamp);
        return identity;
    }

    private void checkFiles() {
        try {
            while (true) {
                Thread.sleep(checkInterval);
                readChangedFiles();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Keeps the old certificate if the files are invalid, for example while only one is new. */
    private synchronized void readChangedFiles() {
        for (var entry : open.entrySet()) {
            var files = entry.getKey().orElse(null);
            if (files == null) {
                continue;
            }
            var stamp = stamp(files); // before reading: a concurrent change is detected later
            if (stamp.equals(readTimes.get(files))) {
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
                readTimes.put(files, stamp); // warn once per change
                LOG.log(
                        System.Logger.Level.WARNING,
                        "{0}. The previous certificate remains in use",
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
            return FileTime.fromMillis(0); // missing; reported when reading it
        }
    }

    private static void warnOfExpiry(TlsIdentity identity) {
        if (identity.expiresAt().isBefore(Instant.now().plus(EXPIRES_SOON))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The certificate {0} expires at {1}; clients reject it afterwards. Replace it"
                            + " with ash secrets rotate, or with new files",
                    identity.sha256(),
                    identity.expiresAt());
        }
    }

    /** Readable by all users of the host, for their clients. */
    private void writePem(TlsIdentity identity) {
        try {
            var draft = pem.resolveSibling(pem.getFileName() + ".draft");
            Files.writeString(draft, identity.pem());
            Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(draft, pem, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "Cannot write the certificate to " + pem, e);
        }
    }

    @Override
    public synchronized void close() {
        if (fileCheck != null) {
            fileCheck.interrupt();
        }
    }
}
