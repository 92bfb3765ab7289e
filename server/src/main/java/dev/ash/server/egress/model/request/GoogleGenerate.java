package dev.ash.server.egress.model.request;

import static dev.ash.server.egress.model.request.Shape.FREE;
import static dev.ash.server.egress.model.request.Shape.PLAIN;

import dev.ash.server.egress.model.request.Shape.Denied;
import dev.ash.server.egress.model.request.Shape.ListOf;
import dev.ash.server.egress.model.request.Shape.RequiresGrant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Permitted content of requests to Google's {@code generateContent}, {@code streamGenerateContent}
 * and {@code countTokens}, as listed in docs/isolation.md. The API accepts each field name in camel
 * case and in snake case, so the table contains both. The kind of a part and of a tool is the name
 * of its field, so unlisted fields are rejected there.
 */
final class GoogleGenerate {
    private static final Pattern UPPER_CASE = Pattern.compile("(?<=[a-z0-9])([A-Z])");

    static final FormatTable TABLE = new FormatTable(countTokens(), Set.of(), Set.of());

    private static final String UNSUPPORTED_TOOL = "it belongs to a tool that Ash does not allow";

    /** A request to generate content, or one to count tokens, which can contain the former. */
    private static Shape countTokens() {
        var request = request();
        var counted = new LinkedHashMap<>(request.fields());
        counted.putAll(fields("generateContentRequest", request).fields());
        return new Shape.Fields(counted, Set.of(), false);
    }

    private static Shape.Fields request() {
        return fields(
                "model serviceTier",
                PLAIN,
                "labels",
                FREE,
                "contents",
                new ListOf(content()),
                "systemInstruction",
                content(),
                "tools",
                new ListOf(tool()),
                "toolConfig",
                toolConfig(),
                "safetySettings",
                new ListOf(fields("category threshold method", PLAIN)),
                "generationConfig",
                generationConfig(),
                "cachedContent",
                new Denied("it refers to content stored by the provider; send the content itself"),
                "store",
                new Denied("it makes the provider store the request"));
    }

    private static Shape content() {
        return fields("role", PLAIN, "parts", new ListOf(part()));
    }

    private static Shape part() {
        var stored = new Denied("it refers to a URL or a stored file; send the data as inlineData");
        var data = fields("mimeType displayName", PLAIN, "data", FREE);
        var responsePart = fields("inlineData", data, "fileData", stored).rejectingOthers();
        return fields(
                        "text thoughtSignature partMetadata",
                        FREE,
                        "thought",
                        PLAIN,
                        "inlineData",
                        data,
                        "fileData",
                        stored,
                        "functionCall",
                        fields("id name willContinue", PLAIN, "args partialArgs", FREE),
                        "functionResponse",
                        fields(
                                "id name willContinue scheduling",
                                PLAIN,
                                "response",
                                FREE,
                                "parts",
                                new ListOf(responsePart)),
                        "mediaResolution",
                        fields("level numTokens", PLAIN),
                        "videoMetadata",
                        fields("startOffset endOffset fps", PLAIN),
                        "executableCode codeExecutionResult",
                        new RequiresGrant(ProviderTools.CODE_EXECUTION, FREE),
                        "toolCall toolResponse",
                        new RequiresGrant(ProviderTools.WEB_SEARCH, FREE))
                .rejectingOthers();
    }

    /** Functions that the client runs, and tools of the provider that require a grant. */
    private static Shape tool() {
        var function =
                fields(
                        "name description behavior",
                        PLAIN,
                        "parameters parametersJsonSchema response responseJsonSchema",
                        FREE);
        return fields(
                        "functionDeclarations",
                        new ListOf(function),
                        "googleSearch googleSearchRetrieval enterpriseWebSearch",
                        new RequiresGrant(ProviderTools.WEB_SEARCH, FREE),
                        "urlContext",
                        new RequiresGrant(ProviderTools.WEB_FETCH, FREE),
                        "codeExecution",
                        new RequiresGrant(ProviderTools.CODE_EXECUTION, FREE),
                        "mcpServers",
                        new Denied("it makes the provider connect to MCP servers"),
                        "computerUse fileSearch googleMaps retrieval",
                        new Denied(UNSUPPORTED_TOOL))
                .rejectingOthers();
    }

    private static Shape toolConfig() {
        return fields(
                "functionCallingConfig",
                fields("mode allowedFunctionNames streamFunctionCallArguments", PLAIN),
                "retrievalConfig",
                fields("latLng", FREE, "languageCode", PLAIN),
                "includeServerSideToolInvocations",
                PLAIN);
    }

    private static Shape generationConfig() {
        return fields(
                "temperature topP topK candidateCount maxOutputTokens stopSequences seed",
                PLAIN,
                "presencePenalty frequencyPenalty responseLogprobs logprobs",
                PLAIN,
                "responseMimeType responseModalities mediaResolution",
                PLAIN,
                "enableEnhancedCivicAnswers audioTimestamp",
                PLAIN,
                "responseSchema responseJsonSchema _responseJsonSchema speechConfig",
                FREE,
                "thinkingConfig",
                fields("includeThoughts thinkingBudget thinkingLevel", PLAIN),
                "imageConfig",
                fields("aspectRatio imageSize", PLAIN));
    }

    /** Creates an object shape whose field names are accepted in camel case and in snake case. */
    private static Shape.Fields fields(Object... pairs) {
        var fields = new LinkedHashMap<String, Shape>();
        Shape.map(pairs)
                .forEach(
                        (name, shape) -> {
                            fields.put(name, shape);
                            fields.put(snakeCase(name), shape);
                        });
        return new Shape.Fields(fields, Set.of(), false);
    }

    private static String snakeCase(String name) {
        return UPPER_CASE.matcher(name).replaceAll("_$1").toLowerCase(Locale.ROOT);
    }

    private GoogleGenerate() {}
}
