package dev.ash.bridge.acp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ToolNamesTest {
    private final ToolNames names = new ToolNames(List.of("web", "web-search", "my.tools"));

    @ParameterizedTest
    @CsvSource({
        "c1, bash, execute, Bash",
        "c1, ls, execute, Bash",
        "c1, read, read, Read",
        "c1, Reading a.txt, read, Read",
        "c1, webfetch, fetch, WebFetch",
        "c1, grep, search, Grep",
        "c1, skill, other, skill",
        "c1, web_search, other, mcp__web__search",
        "c1, web-search_find, other, mcp__web-search__find",
        "c1, my_tools__run, other, mcp__my.tools__run",
        "c1, mcp_web_open, other, mcp__web__open",
        "write_file__write_file_1794769244564_0, Writing to c.txt, edit, Write",
        "run_shell_command-1794769244564, make, '', Bash",
        "c1, 'Ask the oracle', '', 'Ask the oracle'"
    })
    void mapsToolsOfAgents(String id, String title, String kind, String expected)
            throws MalformedJsonException {
        var call = new AcpCall(id);
        var update = JsonWriter.object().put("title", title);
        call.update(JsonObject.parse(update.put("kind", kind).end()));

        assertThat(names.of(call)).isEqualTo(expected);
    }
}
