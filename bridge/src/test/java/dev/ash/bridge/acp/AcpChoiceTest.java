package dev.ash.bridge.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import org.junit.jupiter.api.Test;

class AcpChoiceTest {
    private static final String OPTIONS =
            """
            {"configOptions":[
             {"id":"mode","category":"mode","type":"select","currentValue":"m","options":[]},
             {"id":"model","category":"model","type":"select","currentValue":"a/one","options":[
               {"group":"A","name":"A","options":[{"value":"a/one","name":"One"}]},
               {"value":"b/two","name":"Two"}]}],
             "models":{"currentModelId":"x","availableModels":[{"modelId":"x"},{"modelId":"y"}]}}
            """;

    @Test
    void readsSettingWithGroups() throws MalformedJsonException {
        var choice = AcpChoice.model(JsonObject.parse(OPTIONS)).orElseThrow();

        assertThat(choice.values()).containsExactly("a/one", "b/two");
        assertThat(choice.current()).isEqualTo("a/one");
        assertThat(choice.find("two")).contains("b/two");
        assertThat(choice.find("a/one")).contains("a/one");
        assertThat(choice.find("three")).isEmpty();
        assertThat(choice.method()).isEqualTo("session/set_config_option");
        assertThat(choice.parameters("s", "b/two"))
                .hasToString("{\"sessionId\":\"s\",\"configId\":\"model\",\"value\":\"b/two\"}");
    }

    @Test
    void readsModelsOfAgentsWithoutSettings() throws MalformedJsonException {
        var json = OPTIONS.replace("configOptions", "other");

        var choice = AcpChoice.model(JsonObject.parse(json)).orElseThrow();

        assertThat(choice.values()).containsExactly("x", "y");
        assertThat(choice.method()).isEqualTo("session/set_model");
        assertThat(choice.parameters("s", "y"))
                .hasToString("{\"sessionId\":\"s\",\"modelId\":\"y\"}");
        assertThat(AcpChoice.model(JsonObject.parse("{}"))).isEmpty();
    }
}
