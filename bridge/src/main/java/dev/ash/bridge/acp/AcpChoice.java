package dev.ash.bridge.acp;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A setting of a conversation with the values that the agent offers, such as its model.
 *
 * @param configId the id of the setting; empty for a model that has a method of its own
 * @param current the value at the start of the conversation
 */
record AcpChoice(String configId, String current, List<String> values) {
    private static final RawJson NONE = RawJson.of("[]");

    /** Returns the models that a response offers to choose from. */
    static Optional<AcpChoice> model(JsonObject response) throws MalformedJsonException {
        var setting = setting(response, "model");
        if (setting.isPresent()) {
            return setting;
        }
        var models = response.object("models");
        if (models.isEmpty()) {
            return Optional.empty();
        }
        var values = new ArrayList<String>();
        for (var model : JsonObject.elements(models.get().raw("availableModels").orElse(NONE))) {
            values.add(JsonObject.parse(model).string("modelId").orElse(""));
        }
        return Optional.of(
                new AcpChoice("", models.get().string("currentModelId").orElse(""), values));
    }

    /** Returns the setting of a category, such as {@code thought_level}. */
    static Optional<AcpChoice> setting(JsonObject response, String category)
            throws MalformedJsonException {
        for (var element : JsonObject.elements(response.raw("configOptions").orElse(NONE))) {
            var option = JsonObject.parse(element);
            if (option.string("category").orElse("").equals(category)
                    && option.string("type").orElse("select").equals("select")) {
                return Optional.of(
                        new AcpChoice(
                                option.requireString("id"),
                                option.string("currentValue").orElse(""),
                                values(option.raw("options").orElse(NONE))));
            }
        }
        return Optional.empty();
    }

    /** Returns the values of options, which may be in groups. */
    private static List<String> values(RawJson options) throws MalformedJsonException {
        var values = new ArrayList<String>();
        for (var element : JsonObject.elements(options)) {
            var option = JsonObject.parse(element);
            var group = option.raw("options");
            if (group.isPresent()) {
                values.addAll(values(group.get()));
            } else {
                values.add(option.string("value").orElse(""));
            }
        }
        return values;
    }

    /** Returns the offered value for a name; agents may add the name of a provider before it. */
    Optional<String> find(String name) {
        return values.contains(name)
                ? Optional.of(name)
                : values.stream().filter(value -> value.endsWith("/" + name)).findFirst();
    }

    String method() {
        return configId.isEmpty() ? "session/set_model" : "session/set_config_option";
    }

    RawJson parameters(String sessionId, String value) {
        var json = JsonWriter.object().put("sessionId", sessionId);
        return configId.isEmpty()
                ? json.put("modelId", value).end()
                : json.put("configId", configId).put("value", value).end();
    }
}
