package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.egress.model.PriceTable;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The setting with the operator's prices of models: a table, or the path of a file with one. */
final class PriceSetting {
    static final String NAME = "ASH_PRICES";

    private static final long MAX_BYTES = 1024 * 1024;

    static PriceTable parse(String value) {
        return value.startsWith("{")
                ? PriceTable.withOverrides(NAME, value)
                : PriceTable.withOverrides("%s (%s)".formatted(NAME, value), read(value));
    }

    private static String read(String path) {
        try {
            var file = Path.of(path);
            if (Files.size(file) > MAX_BYTES) {
                throw invalid(path, "which is larger than 1 MiB");
            }
            return Files.readString(file);
        } catch (CharacterCodingException e) {
            throw invalid(path, "which is not text in UTF-8");
        } catch (IOException | InvalidPathException e) {
            throw invalid(path, "which cannot be read: " + e);
        }
    }

    private static ApiException invalid(String path, String problem) {
        return new ApiException(
                ErrorCode.VALIDATION_FAILED,
                "%s is \"%s\", %s; it must be a JSON object with prices, or the path of a file with one"
                        .formatted(NAME, path, problem));
    }

    private PriceSetting() {}
}
