package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DerivedFramesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'type':'system','subtype':'init'} | ``",
                "{'type':'assistant','message':{'content':[{'type':'text','text':'hi'}]}} | ``",
                "{'type':'assistant','message':{'content':[{'type':'thinking','thinking':'hm'}]}} |"
                        + " thinking_delta {'delta':'hm'}",
                "{'type':'assistant','message':{'content':[{'type':'tool_use','id':'t1','name':'Bash','input':{'command':'ls'}}]}}"
                        + " | tool_use {'id':'t1','name':'Bash','input':{'command':'ls'}}",
                "{'type':'user','message':{'content':[{'type':'tool_result','tool_use_id':'t1','content':'text'}]},'tool_use_result':{'stdout':'own','stderr':''}}"
                        + " | tool_result {'tool_use_id':'t1','content':'own','is_error':false}",
                "{'type':'user','message':{'content':[{'type':'tool_result','tool_use_id':'t1','content':'text','is_error':true}]}}"
                        + " | tool_result {'tool_use_id':'t1','content':'text','is_error':true}",
                "{'type':'user','message':{'content':'plain'}} | ``",
                "{'type':'result','num_turns':2,'result':'all'} | turn_complete {'numTurns':2,'result':'all'}",
                "{'type':'stream_event','event':{'type':'content_block_delta','delta':{'type':'text_delta','text':'h'}}}"
                        + " | text_delta {'delta':'h'}",
                "{'type':'stream_event','event':{'type':'content_block_delta','delta':{'type':'input_json_delta','partial_json':'{'}}}"
                        + " | input_json_delta {'type':'input_json_delta','partial_json':'{'}",
                "{'type':'stream_event','event':{'type':'content_block_delta','delta':{'type':'a\\ndata: b'}}}"
                        + " | ``",
                "{'type':'stream_event','event':{'type':'message_start'}} | ``",
                "{'type':'system','subtype':'api_retry','max_retries':3,'error_status':429} | notice"
                        + " {'kind':'model_rate_limited','text':'The model API rate-limits this key"
                        + " (HTTP 429); the engine retries up to 3 times.','remedy':'Wait,"
                        + " or use another key: ash credentials add, then --credential ID.'}",
                "{'type':'system','subtype':'init','mcp_servers':[{'name':'a','status':'connected'}]} | ``",
                "{'type':'system','subtype':'api_retry','error_status':'x'} | ``",
                "[1,2] | ``",
                "'text' | ``",
                "{'type':'assistant','message':{'content':[1]}} | ``",
            })
    void derivesFramesFromEngineMessages(String message, String expected) {
        var data = RawJson.of(message.replace('\'', '"'));

        var frames =
                DerivedFrames.of(data).stream()
                        .map(frame -> frame.event() + " " + frame.data())
                        .collect(Collectors.joining(" "));

        assertThat(frames).isEqualTo(expected == null ? "" : expected.replace('\'', '"'));
    }
}
