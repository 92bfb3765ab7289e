package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.engine.ModelProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * Rejects a model key of this server in the configuration of an engine: the configuration is
 * visible in sandboxes, which must not contain keys.
 */
final class ConfiguredKeys {
    static final String SETTING = "ASH_ENGINES";

    /** Shorter values can occur in other texts. */
    private static final int MIN_KEY = 8;

    static void reject(EngineTable table, Settings settings) {
        for (var provider : ModelProvider.values()) {
            for (var variable : provider.credentialVariables()) {
                var key = settings.text(variable).orElse("");
                if (key.length() >= MIN_KEY) {
                    table.all().forEach(engine -> reject(engine, variable, key));
                }
            }
        }
    }

    private static void reject(EngineProfile engine, String variable, String key) {
        var launch = engine.launch();
        var texts = new ArrayList<String>(launch.arguments());
        texts.addAll(launch.environment().values());
        if (containsAny(texts, key)) {
            throw ApiException.invalid(
                    "engines." + engine.name(),
                    "contains the value of %s, and would show it to sandboxes; write {model.key} instead"
                            .formatted(variable));
        }
    }

    private static boolean containsAny(List<String> texts, String key) {
        return texts.stream().anyMatch(text -> text.contains(key));
    }

    private ConfiguredKeys() {}
}
