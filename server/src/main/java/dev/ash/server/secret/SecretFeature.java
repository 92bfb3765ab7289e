package dev.ash.server.secret;

import dev.ash.protocol.SandboxId;
import dev.ash.server.http.Endpoint;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.Storage;
import dev.ash.server.tls.Certificates;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;

/** Assembles the rotation of the server's secrets. */
public final class SecretFeature implements AutoCloseable {
    private final Certificates certificates;
    private final SealingKey sealingKey;

    /** {@code isRunning} returns whether a sandbox runs and may use a placeholder of an old key. */
    public SecretFeature(
            Storage storage, Certificates certificates, Predicate<SandboxId> isRunning) {
        this.certificates = certificates;
        this.sealingKey =
                new SealingKey(
                        storage.sealer(),
                        storage.database(),
                        storage.random(),
                        storage.clock(),
                        isRunning);
        sealingKey.onKeyChange(
                () ->
                        certificates.changePassword(
                                certificatePasswords(storage.sealer()).getFirst()));
    }

    /** Returns the passwords of the certificate files, the current one first. */
    public static List<String> certificatePasswords(Sealer sealer) {
        return sealer.deriveAll("gateway certificate").stream()
                .map(HexFormat.of()::formatHex)
                .toList();
    }

    public Certificates certificates() {
        return certificates;
    }

    public List<Endpoint> endpoints(RotatableSecret hookToken) {
        return new SecretRoutes(
                        List.of(sealingKey, hookToken, new RotatableCertificates(certificates)))
                .endpoints();
    }

    /** Resumes an interrupted rotation. */
    public void start() {
        sealingKey.start();
    }

    @Override
    public void close() {
        sealingKey.close();
    }
}
