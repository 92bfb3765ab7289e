package dev.ash.server.tls;

import java.nio.file.Path;

/**
 * A certificate chain and its private key in PEM files of the operator.
 *
 * @param setting the prefix of the settings with the paths, such as {@code ASH_TLS}
 */
public record PemFiles(String setting, Path certificates, Path key) {}
