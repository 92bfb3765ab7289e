package dev.ash.bench.jmh;

/** A typical short message of an engine. */
final class SampleMessage {
    static final String DATA =
            """
            {"type":"assistant","message":{"id":"msg_0100000000000000000001","type":"message",\
            "role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text",\
            "text":"A typical short message of an engine."}],"stop_reason":null,\
            "usage":{"input_tokens":10,"output_tokens":25}},"parent_tool_use_id":null,\
            "session_id":"5b2a5a2e-7f2c-4f57-9a3c-0f6a3b1c9f10"}""";

    static final String TURN = "9c3e2d11-64a1-4f0c-8f57-2f6a3b1c9f77";

    private SampleMessage() {}
}
